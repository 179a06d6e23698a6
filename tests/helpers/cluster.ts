import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inProcess } from '@pintle/apiserver';
import { SeededRandom, SteppedClock } from '@pintle/async';
import { Client, type ClientConfig, ConfigTransport, loadConfig, loadKubeconfig, type Transport } from '@pintle/client';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { openMemoryStore } from '@pintle/store';
import { afterAll, beforeAll, expect } from 'vitest';
import { startPintle, stopPintle } from './pintle.ts';

/** Tests of the client run against the cluster of KUBECONFIG instead of a server of ours. */
export const isExternal = process.env.USE_EXISTING_CLUSTER === 'true';

/** A word that no other run uses. */
export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/** A server in another process, or the cluster that is there. */
export interface SocketCluster {
  readonly config: ClientConfig;
  /** For the variable KUBECONFIG. Its current context names the namespace. */
  readonly kubeconfig: string;
  /** The tests' own; gone afterwards. */
  readonly namespace: string;
}

/** Opens one before the tests of a file and cleans up after them. */
export function useSocketCluster(): () => SocketCluster {
  let opened: (SocketCluster & AsyncDisposable) | undefined;
  beforeAll(async () => {
    opened = await (isExternal ? openExternal() : openPintle());
  });
  afterAll(async () => await opened?.[Symbol.asyncDispose]());
  return () => opened!;
}

async function openPintle(): Promise<SocketCluster & AsyncDisposable> {
  const pintle = await startPintle('--memory');
  const config = await loadConfig({ kubeconfig: pintle.kubeconfig });
  const dispose = async (): Promise<void> => {
    pintle.client.close();
    await stopPintle(pintle);
  };
  return { config, kubeconfig: pintle.kubeconfig, namespace: 'default', [Symbol.asyncDispose]: dispose };
}

async function openExternal(): Promise<SocketCluster & AsyncDisposable> {
  const own = await loadConfig();
  const client = new Client({ transport: new ConfigTransport(own) });
  const namespace = unique('pintle-client');
  await client.create(Namespace, { metadata: { name: namespace } });
  const file = join(tmpdir(), `${namespace}.json`);
  const kubeconfig = await kubeconfigFor(own, namespace, file);
  const dispose = async (): Promise<void> => {
    await rm(file);
    await client.delete(Namespace, { name: namespace });
    await client.close();
  };
  return { config: { ...own, namespace }, kubeconfig, namespace, [Symbol.asyncDispose]: dispose };
}

/** Files whose current context is that of the others, in the namespace: `file` says so. */
async function kubeconfigFor({ context }: ClientConfig, namespace: string, file: string): Promise<string> {
  const { kubeconfig, files } = await loadKubeconfig();
  const { cluster, user } = kubeconfig.contexts.get(context!)!;
  const contexts = [{ name: namespace, context: { cluster, user, namespace } }];
  await writeFile(file, JSON.stringify({ kind: 'Config', 'current-context': namespace, contexts }));
  return [file, ...files].join(delimiter);
}

/** A server and a client whose clock stands still until it is stepped. */
export interface SteppedCluster extends AsyncDisposable {
  readonly client: Client;
  readonly clock: SteppedClock;
  readonly transport: Transport;
  readonly namespace: string;
  /** Carried by the objects of this test: others may be in the namespace. */
  readonly labels: { readonly test: string };
  /** Lets everything run, and the client's time pass, until the promise holds something. */
  eventually<T>(look: () => T | Promise<T>, stepMs?: number): Promise<T>;
  /** Lets the client's time pass, and what is asked meanwhile be answered. */
  pass(ms: number): Promise<void>;
}

let external: Promise<SocketCluster & AsyncDisposable> | undefined;

/** Closes what `openSteppedCluster` left open for the next test. */
export function closeSteppedClusters(): void {
  afterAll(async () => {
    await (await external)?.[Symbol.asyncDispose]();
    external = undefined;
  });
}

export async function openSteppedCluster(): Promise<SteppedCluster> {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const { transport, namespace, close } = await (isExternal ? reachExternal() : openInProcess(clock));
  const client = new Client({ transport, clock });
  const labels = { test: unique('t') };
  await client.list(ConfigMap, { namespace, limit: 1 });
  return {
    client,
    clock,
    transport,
    namespace,
    labels,
    eventually: (look, stepMs) => eventually(clock, look, stepMs),
    pass: (ms) => pass(clock, ms),
    async [Symbol.asyncDispose]() {
      if (isExternal) await client.deleteAll(ConfigMap, { namespace, labelSelector: `test=${labels.test}` });
      await close();
    },
  };
}

async function openInProcess(clock: SteppedClock) {
  const store = await openMemoryStore({ clock });
  const authenticator = { authenticate: () => undefined };
  const server = await KubeApiServer.open({ store, clock, random: new SeededRandom(1), authenticator });
  const transport: Transport = { send: inProcess(server, { username: 'admin', groups: ['system:masters'] }) };
  const close = async (): Promise<void> => {
    await server.close();
    await store.close();
  };
  return { transport, namespace: 'default', close };
}

/** One namespace for all tests of a file, for to make one takes time. */
async function reachExternal() {
  external ??= openExternal();
  const { config, namespace } = await external;
  const transport = new ConfigTransport(config);
  // It does not say that it is probed, so that silence is judged by the clock of the test.
  const plain: Transport = { send: (request) => transport.send(request) };
  return { transport: plain, namespace, close: () => transport.close() };
}

/** A server elsewhere needs real time; one in this process needs turns of the loop. */
const pause = isExternal
  ? () => new Promise<void>((resolve) => setTimeout(resolve, 2))
  : () => new Promise<void>((resolve) => setImmediate(resolve));

async function eventually<T>(clock: SteppedClock, look: () => T | Promise<T>, stepMs = 1_000): Promise<T> {
  // The first use of a kind loads code, which takes as long as it takes.
  const impatientFrom = performance.now() + 10_000;
  for (let step = 0; step < 300 || performance.now() < impatientFrom; step++) {
    for (let turn = 0; turn < 20; turn++) {
      const found = await look();
      if (found) return found;
      await pause();
    }
    await clock.advance(stepMs);
  }
  const last = await look();
  expect(last, 'It did not happen in time').toBeTruthy();
  return last;
}

async function pass(clock: SteppedClock, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
    await clock.advance(Math.min(leftMs, 1_000));
    for (let turn = 0; turn < 20; turn++) await pause();
  }
}
