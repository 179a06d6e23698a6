import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { type RunningPintle, startPintle, stopPintle } from './helpers/pintle.ts';
import { MAIN, pintle, scaffoldFruits, TWO_VERSIONS } from './helpers/project.ts';
import { CTRL_C, openTerminal, type Terminal, terminalTest as test } from './helpers/terminal.ts';

const TIMEOUT = { timeout: 180_000 };
const { parent, project } = await scaffoldFruits();
let plane: RunningPintle;
let front: Server;
let kubectl: Awaited<ReturnType<typeof kubectlFor>>;
/** Of a cluster that is not this machine's, though its address is: as of kind, or behind a port-forward. */
let kubeconfig: string;
let port: number;
/** Lists the requests to that cluster that could change it. */
const writes: string[] = [];

beforeAll(async () => {
  writeFileSync(join(project, 'src', 'fruit', 'fruit.ts'), TWO_VERSIONS);
  plane = await startPintle('--memory');
  kubectl = await kubectlFor(plane.kubeconfig);
  front = await openFront(plane);
  kubeconfig = join(parent, 'kubeconfig.json');
  const server = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  writeFileSync(kubeconfig, kubeconfigFor(server));
  port = await freePort();
}, 120_000);

afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await stopPintle(plane);
  rmSync(parent, { recursive: true, force: true });
}, 60_000);

test('nothing is changed at a server that would not find the webhooks', TIMEOUT, async () => {
  const terminal = await startRun();
  expect(await terminal.exited).not.toBe(0);
  expect(terminal.screen()).toMatch(
    /Cannot register webhooks at http:\/\/127\.0\.0\.1:\d+: .*--webhook-url.*--no-webhooks/,
  );
  expect(terminal.screen()).not.toMatch(/^ +at /m);
  expect(writes).toEqual([]);
});

test('whoever wants none runs without them', TIMEOUT, async () => {
  const terminal = await startRun('--no-webhooks');
  await terminal.shows('Became the leader');
  // A deployed operator competes for the lease there: never do both lead.
  expect(await kubectl('get leases -A -o=jsonpath={.items[*].metadata.namespace}')).toContain('fruits-system');
  expect(await kubectl('get leases -n default -o name')).not.toContain('fruits');
  expect(await kubectl('get namespace fruits-system -o=jsonpath={.metadata.labels}')).toContain('pintle');
  await stop(terminal);
  // Nobody is behind the name that a definition has until an operator converts.
  expect(await registered()).toEqual({ mutating: '', validating: '', conversion: 'system' });
  expect(writes.filter((line) => line.includes('admissionregistration'))).toEqual([]);
});

test('install replaces the placeholder that a first run left as the converter', TIMEOUT, async () => {
  await expect(pintle(project, `doctor --kubeconfig ${kubeconfig}`)).rejects.toMatchObject({
    stdout: expect.stringMatching(/definitions +out of date: fruits\.food\.example\.com/),
  });
  await pintle(project, `install --kubeconfig ${kubeconfig}`);
  expect(await registered()).toMatchObject({ conversion: 'fruits-system' });
});

test('what was there before is there again when the operator ends', TIMEOUT, async () => {
  await pintle(project, 'generate manifests');
  const install = join(project, 'manifests', 'install.yaml');
  const apply = () => kubectl(`apply --server-side --field-manager=helm --force-conflicts=false -f ${install}`);
  await kubectl('delete crd fruits.food.example.com');
  await apply();
  const before = await objects();
  expect(await registered()).toMatchObject({ mutating: expect.stringContaining('fruits-system') });

  const url = `https://localhost:${port}`;
  const running = async (): Promise<Terminal> => {
    const terminal = await startRun('--webhook-url', url);
    await terminal.shows('Became the leader');
    expect(await registered()).toEqual({ mutating: url, validating: url, conversion: url });
    return terminal;
  };
  await stop(await running());
  expect(await objects()).toEqual(before);

  const killed = await running();
  process.kill(killed.pid, 'SIGKILL');
  await killed.exited;
  // The operator stops by itself as its parent is gone; killed as well, it leaves what it wrote to the next one.
  await eventually(async () => (await registered()).mutating !== url);
  expect(await objects()).toEqual(before);

  const second = await running();
  await killOperator(second);
  expect((await registered()).conversion).toBe(url);
  await stop(await running());
  expect(await objects()).toEqual(before);
  await apply();
});

test(
  'the next operator gives back what one that was killed left behind, with webhooks or without',
  TIMEOUT,
  async () => {
    const before = await objects();
    const terminal = await startRun('--webhook-url', `https://localhost:${port}`);
    await terminal.shows('Became the leader');
    await killOperator(terminal);
    const next = await startRun('--no-webhooks');
    await next.shows('Skipped webhooks');
    expect(next.screen()).not.toContain('Definitions differ');
    expect(await objects()).toEqual(before);
    await stop(next);
  },
);

test('of two, the first is asked as long as it runs, then the other, and at last the Service', TIMEOUT, async () => {
  const before = await objects();
  const secondPort = await freePort();
  const [firstUrl, secondUrl] = [`https://localhost:${port}`, `https://localhost:${secondPort}`];
  const askFor = (url: string) => ({ mutating: url, validating: url, conversion: url });
  const leader = await startRun('--webhook-url', firstUrl);
  await leader.shows('Became the leader');
  const standby = async (): Promise<Terminal> => {
    const terminal = await startRunAt(secondPort, '--webhook-url', secondUrl);
    await terminal.shows('Waiting for the lease');
    expect(await registered()).toEqual(askFor(firstUrl));
    return terminal;
  };
  await stop(await standby());
  expect(await registered()).toEqual(askFor(firstUrl));

  const next = await standby();
  await stop(leader);
  await next.shows('Registered webhooks');
  expect(await registered()).toEqual(askFor(secondUrl));
  await stop(next);
  expect(await objects()).toEqual(before);
});

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string };
}

/** A configuration of webhooks, or a definition. */
interface Registration {
  readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[];
  readonly spec?: { readonly conversion?: { readonly webhook?: { readonly clientConfig: ClientConfig } } };
}

test('people are told of definitions that differ, and nothing is done about it', TIMEOUT, async () => {
  const before = await objects();
  writeFileSync(join(project, 'src', 'fruit', 'fruit.ts'), TWO_VERSIONS.replaceAll('weight:', 'mass:'));
  const terminal = await startRun('--no-webhooks');
  await terminal.shows(/Definitions differ from the code: pintle install .*fruits\.food\.example\.com/);
  await stop(terminal);
  expect(await objects()).toEqual(before);
});

async function startRun(...flags: string[]): Promise<Terminal> {
  return await startRunAt(port, ...flags);
}

async function startRunAt(webhookPort: number, ...flags: string[]): Promise<Terminal> {
  const env = {
    ...process.env,
    VITEST: '',
    KUBECONFIG: kubeconfig,
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    WEBHOOK_PORT: `${webhookPort}`,
  };
  return await openTerminal([process.execPath, MAIN, 'run', ...flags], { cwd: project, env });
}

/** Its lease goes too: the next one need not wait until it has run out. */
async function killOperator(terminal: Terminal): Promise<void> {
  for (const pid of operatorsIn(project)) process.kill(pid, 'SIGKILL');
  await terminal.exited;
  await kubectl('delete lease fruits -n fruits-system');
}

async function stop(terminal: Terminal): Promise<void> {
  terminal.type(CTRL_C);
  expect(await terminal.exited, terminal.screen()).toBe(0);
}

/** Whom the server asks: the address without its path, or the namespace of a Service. */
async function registered(): Promise<{ mutating: string; validating: string; conversion: string }> {
  const [mutating, validating, definition] = await objects();
  const asked = (config?: ClientConfig): string =>
    config?.url ? new URL(config.url).origin : (config?.service?.namespace ?? '');
  return {
    mutating: asked(mutating?.webhooks?.[0]?.clientConfig),
    validating: asked(validating?.webhooks?.[0]?.clientConfig),
    conversion: asked(definition?.spec?.conversion?.webhook?.clientConfig),
  };
}

/** All that an operator writes about webhooks, and who owns it; not how often it was written. */
async function objects(): Promise<(Registration | undefined)[]> {
  const names = [
    'mutatingwebhookconfiguration/fruits',
    'validatingwebhookconfiguration/fruits',
    'crd/fruits.food.example.com',
  ];
  const found = await Promise.all(
    names.map((name) => kubectl(`get ${name} --show-managed-fields --ignore-not-found -o json`)),
  );
  return found.map((text) => {
    if (text.trim() === '') return undefined;
    const { metadata, status: _status, ...object } = JSON.parse(text);
    const { resourceVersion: _version, generation: _generation, ...rest } = metadata;
    const managedFields = rest.managedFields.filter(
      ({ subresource }: { subresource?: string }) => subresource === undefined,
    );
    return { ...object, metadata: { ...rest, managedFields } };
  });
}

function operatorsIn(folder: string): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => row.includes(join(folder, 'dist', 'main.js'))).map((row) => Number.parseInt(row, 10));
}

async function eventually(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  const { port: found } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** Passes on what it is asked, and says that it is another server than it is. */
async function openFront({ client }: RunningPintle): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/version') {
      outgoing.setHeader('content-type', 'application/json').end('{"major":"1","minor":"34","gitVersion":"v1.34.0"}');
      return;
    }
    if (incoming.method !== 'GET') writes.push(`${incoming.method} ${incoming.url}`);
    const { host: _host, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const passed = request({ host: '127.0.0.1', port: client.port, ...client.tls, method, path: url, headers });
    passed.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
      outgoing.on('close', () => response.destroy());
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kind', cluster: { server } }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'kind', context: { cluster: 'kind', user: 'me' } }],
    'current-context': 'kind',
  });
}
