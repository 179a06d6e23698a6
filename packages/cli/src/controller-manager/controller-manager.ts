import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Runnable, realClock, systemRandom } from '@pintle/async';
import type { Client, ClientConfig } from '@pintle/client';
import { connect, loadConfig } from '@pintle/client';
import type { SecretTokenClaims } from '@pintle/kube-apiserver';
import type { KeyPair } from '@pintle/pki';
import { readControllers } from '../read-values.ts';
import { addControllers, type Kubelet } from '../serve/controllers.ts';
import { keepRunning } from '../serve/keep-running.ts';
import { createLog, type Log } from '../serve/log.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { UsageError } from '../usage-error.ts';

export interface ControllerManagerFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly controllers: string;
  readonly leaderElect: boolean;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly rootCaFile?: string;
  readonly serviceAccountPrivateKeyFile?: string;
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
  readonly bindAddress: string;
  readonly controllerMetrics?: number;
  readonly nodes: number;
  readonly kubelet: Kubelet;
  readonly jobRunFor?: number;
}

/** `pintle controller-manager`: runs the controllers against any API server, until a signal asks it to stop. */
export async function controllerManager(flags: ControllerManagerFlags): Promise<void> {
  const { kubeconfig, context } = flags;
  const config = await loadConfig({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  const files = await readFiles(flags, config);
  const choices = readControllers(flags.controllers);
  const log = createLog();
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  await using client = await connect(config, { userAgent: 'kube-controller-manager', clock: realClock });
  log.info('Started', { server: config.cluster.server, controllers: choices.length });
  try {
    await keepRunning(() => load({ flags, choices, files, client, log }), {
      clock: realClock,
      random: systemRandom,
      signal: stop.signal,
      onFailure: (error, waitMs) => log.error('Controllers stopped; starting again', { error: String(error), waitMs }),
    });
    log.info('Stopped');
  } finally {
    await log.flush();
  }
}

interface LoadOptions {
  readonly flags: ControllerManagerFlags;
  readonly choices: ReturnType<typeof readControllers>;
  readonly files: Files;
  readonly client: Client;
  readonly log: Log;
}

async function load({ flags, choices, files, client, log }: LoadOptions): Promise<Runnable> {
  const { Manager } = await import('../serve/manager.ts');
  const { bindAddress: host, controllerMetrics: port } = flags;
  const manager = new Manager({
    client,
    clock: realClock,
    log: { info: log.info, warn: log.warn, error: log.error },
    ...(flags.leaderElect && choices.length > 0 && { leaderElection: leaderElectionOf(flags) }),
    isControlPlane: true,
    ...(port !== undefined && { metrics: { host, port }, health: { host, port } }),
  });
  const { nodes, kubelet, jobRunFor } = flags;
  await addControllers(manager, { choices, nodes, kubelet, ...(jobRunFor && { jobRunForMs: jobRunFor }), ...files });
  return manager;
}

function leaderElectionOf(flags: ControllerManagerFlags) {
  return {
    namespace: flags.leaderElectResourceNamespace,
    name: flags.leaderElectResourceName,
    identity: `${hostname()}_${systemRandom.uuid()}`,
    leaseDurationMs: flags.leaderElectLeaseDuration,
    renewDeadlineMs: flags.leaderElectRenewDeadline,
    retryPeriodMs: flags.leaderElectRetryPeriod,
  };
}

interface Files {
  readonly rootCa?: string;
  readonly authority?: KeyPair;
  readonly signToken?: (claims: SecretTokenClaims) => Promise<string>;
}

/** Reads what the flags name. Throws UsageError for what cannot be used. */
async function readFiles(flags: ControllerManagerFlags, config: ClientConfig): Promise<Files> {
  const { clusterSigningCertFile: certFile, clusterSigningKeyFile: keyFile } = flags;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new UsageError(
      'Cannot use one of --cluster-signing-cert-file and --cluster-signing-key-file without the other',
    );
  const rootCa = (await textOf(flags.rootCaFile, 'root-ca-file')) ?? (await certificatesOf(config));
  const certificate = await textOf(certFile, 'cluster-signing-cert-file');
  const key = await textOf(keyFile, 'cluster-signing-key-file');
  const signing = await textOf(flags.serviceAccountPrivateKeyFile, 'service-account-private-key-file');
  return {
    ...(rootCa && { rootCa }),
    ...(certificate && key && { authority: { certificate, privateKey: key } }),
    ...(signing && { signToken: await tokenSigner(signing) }),
  };
}

/** Returns the CA certificates of the server from the kubeconfig. */
async function certificatesOf({ cluster: { ca } }: ClientConfig): Promise<string | undefined> {
  if (ca === undefined) return undefined;
  return 'file' in ca ? await readFile(ca.file, 'utf8') : Buffer.from(ca.data).toString();
}

async function textOf(path: string | undefined, flag: string): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`Cannot read --${flag}: ${error.message}`);
  });
}

async function tokenSigner(signing: string): Promise<(claims: SecretTokenClaims) => Promise<string>> {
  const { readTokenKeys, signSecretToken } = await import('@pintle/kube-apiserver');
  try {
    const keys = readTokenKeys({ signing });
    return (claims) => signSecretToken(keys, claims);
  } catch (error) {
    throw new UsageError(`Cannot use --service-account-private-key-file: ${(error as Error).message}`);
  }
}
