import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { deferred, SteppedClock } from '@pintle/async';
import { Client, ClientError } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { createOwnAuthority, issueForHosts } from './own-authority.ts';
import { WebhookServer } from './webhook-server.ts';

const unreachable = new Client({
  transport: {
    send: async () => {
      throw new Error('Nobody is asked');
    },
  },
});

/** The name that a server shows a certificate for. */
async function shownName(port: number): Promise<string | undefined> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname);
      socket.end();
    });
    socket.on('error', reject);
  });
}

async function writeCertificate(directory: string, host: string): Promise<void> {
  const authority = await createOwnAuthority('test', 1, Date.now());
  const { certificate, privateKey } = await issueForHosts(authority, [host], 1, Date.now());
  await writeFile(join(directory, 'tls.key'), privateKey);
  await writeFile(join(directory, 'tls.crt'), certificate);
}

function serverOf(directory: string, clock: SteppedClock, log?: ConstructorParameters<typeof WebhookServer>[0]['log']) {
  const server = new WebhookServer(
    { name: 'files', client: unreachable, clock, ...(log && { log }) },
    { port: 0, host: '127.0.0.1', certificates: { directory }, isRegistering: false },
  );
  server.for(ConfigMap).default(() => undefined);
  return server;
}

test('certificates in files are taken anew when they change', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pintle-tls-'));
  try {
    const clock = new SteppedClock();
    await writeCertificate(directory, 'first.test');
    const lines: string[] = [];
    const taken = deferred();
    const note = (message: string): void => {
      lines.push(message);
      if (message === 'Loaded a new certificate') taken.resolve();
    };
    const server = serverOf(directory, clock, { info: note, warn: note, error: note });
    const stop = new AbortController();
    const running = server.run({ signal: stop.signal });
    await server.started;
    expect(await shownName(server.port!)).toBe('DNS:first.test');
    await writeCertificate(directory, 'second.test');
    await clock.advance(10_000);
    await taken.promise;
    expect(await shownName(server.port!)).toBe('DNS:second.test');
    stop.abort();
    await running;
    expect(lines).toEqual(['Loaded a new certificate']);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('without certificates there is nothing to serve', async () => {
  const server = serverOf('/nowhere', new SteppedClock());
  await expect(server.run({ signal: new AbortController().signal })).rejects.toThrow(
    /^Cannot serve webhooks: no certificate in \/nowhere\/tls\.(crt|key)$/,
  );
  await expect(server.started).rejects.toThrow();
});

test('a server without webhooks asks nobody and listens nowhere', async () => {
  const server = new WebhookServer({ name: 'none', client: unreachable });
  const stop = new AbortController();
  const running = server.run({ signal: stop.signal });
  await server.started;
  expect(server.port).toBeUndefined();
  stop.abort();
  await running;
});

/** Webhooks that are reached without a socket, of a server that answers as it is told. */
function doorServer(clock: SteppedClock, send: () => Promise<unknown>) {
  const client = new Client({ transport: { send: send as never }, clock });
  const server = new WebhookServer({ name: 'door', client, clock }, { connectInProcess: () => 'https://door.test' });
  server.for(ConfigMap).default(() => undefined);
  return server;
}

test('a server that cannot be reached yet is waited for', async () => {
  const clock = new SteppedClock();
  let asked = 0;
  const server = doorServer(clock, async () => {
    asked++;
    if (asked < 4) throw new ClientError({ code: 'Unreachable', server: 'it', isSent: false });
    return {
      status: asked === 5 ? 404 : 200,
      headers: {},
      body: bytes({ kind: 'Status', reason: 'NotFound', code: 404 }),
    };
  });
  const stop = new AbortController();
  const running = server.run({ signal: stop.signal });
  while (!server.isReady) await clock.advance(1_000);
  expect([asked, server.address]).toEqual([5, { url: 'https://door.test' }]);
  stop.abort();
  await running;
});

test('a server that refuses is not', async () => {
  const refusal = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'no',
  };
  const server = doorServer(new SteppedClock(), async () => ({ status: 403, headers: {}, body: bytes(refusal) }));
  await expect(server.run({ signal: new AbortController().signal })).rejects.toThrow('no');
});

async function* bytes(value: object): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}
