import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { Client, inFolder, type RunningPintle, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';
import { descendantsOf, isAlive } from './helpers/processes.ts';

vi.setConfig({ testTimeout: 120_000 });

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const WAIT = { timeout: 30_000, interval: 20 };

interface TwoProcesses extends RunningPintle {
  /** The process that is not the one that was started. */
  worker(): number;
}

/** Starts a server of two processes, and waits until both serve. */
async function withTwo(args: readonly string[], use: (pintle: TwoProcesses) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const data = join(folder, 'data');
    const pintle = await startPintle('--data', data, '--workers', '2', ...args);
    const worker = (): number => workersOf(pintle)[0]!;
    try {
      await bothServe(pintle);
      await use({ ...pintle, worker });
    } finally {
      pintle.client.close();
      await stopPintle(pintle);
    }
  });
}

function workersOf({ process: { pid } }: RunningPintle): number[] {
  return descendantsOf(pid!).filter((child) => isAlive(child));
}

async function metric(client: Client, line: string): Promise<number> {
  const { text } = await client.send('GET', '/metrics');
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

async function bothServe(pintle: RunningPintle): Promise<void> {
  await expect.poll(() => metric(pintle.client, 'pintle_server_processes'), WAIT).toBe(2);
}

/** Clients on connections of their own, which the processes get in turn. */
async function clientsOf({ kubeconfig }: RunningPintle, count: number): Promise<Client[]> {
  const clients = Array.from({ length: count }, () => new Client(kubeconfig));
  for (const client of clients) expect((await client.send('GET', '/version')).status).toBe(200);
  return clients;
}

function configMap(name: string, value: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}

async function dataOf(client: Client, name: string): Promise<string> {
  return JSON.parse((await client.send('GET', `${MAPS}/${name}`)).text).data?.value;
}

test('what a client has written through one process, others read through another', () =>
  withTwo([], async (pintle) => {
    const clients = await clientsOf(pintle, 4);
    await clients[0]!.send('POST', MAPS, configMap('a', '-1'));
    let stale = 0;
    for (let round = 0; round < 2_000; round++) {
      const [writer, reader] = [clients[round % 4]!, clients[(round + 1 + (round % 3)) % 4]!];
      const { status } = await writer.send('PUT', `${MAPS}/a`, configMap('a', `${round}`));
      expect(status).toBe(200);
      if ((await dataOf(reader, 'a')) !== `${round}`) stale++;
    }
    expect(stale).toBe(0);
    for (const client of clients) client.close();
  }));

test('a watch on each process has what is written on any, in order', () =>
  withTwo([], async (pintle) => {
    const clients = await clientsOf(pintle, 4);
    const { resourceVersion } = JSON.parse((await clients[0]!.send('GET', MAPS)).text).metadata;
    const watches = clients.map((client) =>
      client.send('GET', `${MAPS}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=8`),
    );
    const names = Array.from({ length: 200 }, (_, index) => `w${index}`);
    const writers = await clientsOf(pintle, 4);
    for (const [index, name] of names.entries())
      expect((await writers[index % 4]!.send('POST', MAPS, configMap(name, ''))).status).toBe(201);
    for (const { text } of await Promise.all(watches)) {
      const events = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const seen = events.map(({ object }) => object.metadata.name).filter((name) => name.startsWith('w'));
      expect(seen).toEqual(names);
    }
    for (const client of [...clients, ...writers]) client.close();
  }));

test('kubectl, logs, commands and the console work whichever process has the connection', () =>
  withTwo(['--nodes', '1', '--kubelet', 'process'], async (pintle) => {
    const kubectl = await kubectlFor(pintle.kubeconfig);
    const containers = [{ name: 'app', image: 'x', command: ['sh', '-c', 'echo started; sleep 1000'] }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'app' }, spec: { containers } };
    await expect.poll(async () => (await pintle.client.send('POST', PODS, pod)).status, WAIT).toBe(201);
    await kubectl('wait pod app --for=condition=Ready --timeout=60s');
    for (let round = 0; round < 4; round++) {
      expect(await kubectl('logs app')).toBe('started\n');
      expect(await kubectl(`exec app -- echo round ${round}`)).toBe(`round ${round}\n`);
      expect(await kubectl('apply -f -', JSON.stringify(configMap('applied', `${round}`)))).toContain('applied');
      expect(await kubectl('get configmap applied -o jsonpath={.data.value}')).toBe(`${round}`);
    }
    for (const client of await clientsOf(pintle, 4)) {
      const page = await client.send('GET', '/console/');
      expect([page.status, page.text.slice(0, 15)]).toEqual([200, '<!doctype html>']);
      expect((await client.send('GET', '/pintle/backup')).status).toBe(200);
      client.close();
    }
  }));

test('each request is audited once and counted once, whichever process has served it', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const pintle = await startPintle('--data', data, '--workers', '2', '--audit-log-mode', 'blocking-strict');
    try {
      await bothServe(pintle);
      const clients = await clientsOf(pintle, 4);
      const labels =
        'group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver"';
      const line = `apiserver_request_total{verb="POST",${labels},dry_run="",code="201"}`;
      const before = await metric(pintle.client, line);
      const names = Array.from({ length: 40 }, (_, index) => `audited-${index}`);
      for (const [index, name] of names.entries()) {
        await clients[index % 4]!.send('POST', MAPS, configMap(name, ''));
        // The event is there before the response.
        expect(await readFile(join(data, 'audit.log'), 'utf8')).toContain(`"${name}"`);
      }
      for (const client of clients) expect(await metric(client, line)).toBe(before + 40);
      const events = (await readFile(join(data, 'audit.log'), 'utf8'))
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      const done = events.filter(({ stage, verb, objectRef }) => {
        return stage === 'ResponseComplete' && verb === 'create' && objectRef?.name?.startsWith('audited-');
      });
      expect(done.map(({ objectRef }) => objectRef.name).sort()).toEqual([...names].sort());
      expect(new Set(done.flatMap(({ sourceIPs }) => sourceIPs))).toEqual(new Set(['127.0.0.1']));
      expect(new Set(events.map(({ auditID, stage }) => `${auditID} ${stage}`)).size).toBe(events.length);
      for (const client of clients) client.close();
    } finally {
      pintle.client.close();
      await stopPintle(pintle);
    }
  }));

test('tokens that one process has signed are valid for the other', () =>
  withTwo(['--memory'], async (pintle) => {
    const kubectl = await kubectlFor(pintle.kubeconfig);
    await expect
      .poll(
        async () => (await pintle.client.send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status,
        WAIT,
      )
      .toBe(200);
    await kubectl('create clusterrolebinding all --clusterrole=cluster-admin --serviceaccount=default:default');
    for (let round = 0; round < 4; round++) {
      const token = (await kubectl('create token default')).trim();
      expect(await kubectl(`--token=${token} auth whoami -o jsonpath={.status.userInfo.username}`)).toContain(
        'kubernetes-admin',
      );
      expect(await withToken(pintle, token)).toContain('HTTP/1.1 200');
    }
  }));

/** Lists namespaces with a token on a new connection. */
async function withToken({ client }: RunningPintle, token: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: client.port, ca: client.tls.ca });
  const words = ['GET /api/v1/namespaces HTTP/1.1', 'host: a', `authorization: Bearer ${token}`, 'connection: close'];
  socket.write(`${words.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('a worker that is killed takes its connections along, and no others, and comes back', () =>
  withTwo([], async (pintle) => {
    const killed = pintle.worker();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(pintle)));
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, WAIT).toBeGreaterThan(0);
    const after = await clientsOf(pintle, 3);
    for (const [index, client] of after.entries())
      expect((await client.send('POST', MAPS, configMap(`k${index}`, ''))).status).toBe(201);
    await bothServe(pintle);
    expect(pintle.worker()).not.toBe(killed);
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThan(0);
    expect(pintle.output()).toContain('Worker ended; starting it again');
    for (const client of [...after, ...(await clientsOf(pintle, 4))]) {
      expect(await dataOf(client, 'k1')).toBe('');
      client.close();
    }
    for (const socket of sockets) socket.destroy();
  }));

/** Opens a connection that waits for its first request. */
async function openSocket({ client }: RunningPintle): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: client.port, ...client.tls });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  socket.resume();
  return socket;
}

test('workers end with a server that is killed', () =>
  withTwo([], async (pintle) => {
    const worker = pintle.worker();
    pintle.process.kill('SIGKILL');
    await expect.poll(() => isAlive(worker), WAIT).toBe(false);
  }));

test('Ctrl-C reaches all processes and ends them once', () =>
  withTwo([], async (pintle) => {
    const worker = pintle.worker();
    const clients = await clientsOf(pintle, 4);
    const watches = clients.map((client) => client.send('GET', `${MAPS}?watch=true`));
    for (const pid of [pintle.process.pid!, worker]) process.kill(pid, 'SIGINT');
    expect(await pintle.exited).toBe(0);
    for (const { status } of await Promise.all(watches)) expect(status).toBe(200);
    expect(isAlive(worker)).toBe(false);
    expect(pintle.output()).not.toMatch(/Error|\n\s+at /);
    for (const client of clients) client.close();
  }));

test.each(['0', 'x', '-1', '1.5', '65', ''])('--workers %j is refused', async (workers) => {
  await inFolder(async (folder) => {
    const pintle = spawnPintle('up', '--data', folder, '--port', '0', `--workers=${workers}`);
    expect(await pintle.exited).toBe(1);
    expect(pintle.output()).toMatch(/^pintle: .*--workers/m);
  });
});
