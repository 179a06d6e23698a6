import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { HttpsListener } from '@pintle/apiserver';
import { deferred, SteppedClock } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { type Credentials, renewCredentials } from '../credentials/credentials.ts';
import { authenticatorOf } from './authenticator.ts';
import { type CertificateSet, LiveCertificates } from './live-certificates.ts';
import { reloadWhileRunning, renewWhileRunning } from './refresh-certificates.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

/** A server that uses the certificates as they are at any time. */
async function listen(certificates: LiveCertificates): Promise<HttpsListener> {
  const setOf = ({ server, clientCa }: CertificateSet) => ({ ...server, clientCa });
  const listener = await HttpsListener.listen({
    handle: () => Promise.reject(new Error('nobody asks')),
    ...setOf(certificates.current),
  });
  certificates.subscribe((current) => listener.setCertificates(setOf(current)));
  return listener;
}

async function open({ port }: HttpsListener): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

/** The certificate that the server shows to a new connection, in PEM. */
async function shownBy(listener: HttpsListener): Promise<string> {
  const socket = await open(listener);
  const shown = new X509Certificate(socket.getPeerCertificate().raw).toString();
  socket.destroy();
  return shown;
}

const pemOf = ({ certificate }: KeyPair): string => new X509Certificate(certificate).toString();

test('a server that runs for years never shows a certificate that has expired', async () => {
  const clock = new SteppedClock({ startMs: NOW });
  const credentials = await renewCredentials(undefined, { hosts: [], nowMs: NOW });
  const certificates = new LiveCertificates({
    server: credentials.server,
    clientCa: credentials.authority.certificate,
    proxyClient: credentials.frontProxy.client,
  });
  await using listener = await listen(certificates);
  const stop = new AbortController();
  let renewal = deferred<Credentials>();
  const running = renewWhileRunning({
    credentials,
    hosts: [],
    clock,
    signal: stop.signal,
    apply: async (renewed) => {
      certificates.replace({ server: renewed.server, proxyClient: renewed.frontProxy.client });
      renewal.resolve(renewed);
    },
    onFailure: (error) => renewal.reject(error),
  });
  await clock.advance(300 * DAY_MS);
  expect(await shownBy(listener)).toBe(pemOf(credentials.server));
  const early = await open(listener);

  for (const year of [1, 2, 3]) {
    await clock.advance(35.5 * DAY_MS);
    const renewed = await renewal.promise;
    renewal = deferred();
    expect(await shownBy(listener)).toBe(pemOf(renewed.server));
    expect(certificates.proxyCertificate?.certificate).toBe(renewed.frontProxy.client.certificate);
    expect(renewed.authority).toBe(credentials.authority);
    expect(renewed.frontProxy.authority).toBe(credentials.frontProxy.authority);
    for (const pair of [renewed.server, renewed.admin, renewed.frontProxy.client]) {
      expect(Date.parse(new X509Certificate(pair.certificate).validTo), `year ${year}`).toBeGreaterThan(
        clock.now() + 360 * DAY_MS,
      );
    }
    await clock.advance(300 * DAY_MS);
  }
  expect(early.destroyed).toBe(false);
  early.destroy();
  stop.abort();
  await running;
});

test('a renewal that fails is tried again, and the old certificates stay in use', async () => {
  const clock = new SteppedClock({ startMs: NOW });
  const credentials = await renewCredentials(undefined, { hosts: [], nowMs: NOW });
  const stop = new AbortController();
  const failures: unknown[] = [];
  const [failed, applied] = [deferred(), deferred()];
  const running = renewWhileRunning({
    credentials,
    hosts: [],
    clock,
    signal: stop.signal,
    apply: async () => {
      if (failures.length === 0) throw new Error('the disk is full');
      applied.resolve();
    },
    onFailure: (error) => {
      failures.push(error);
      failed.resolve();
    },
  });
  await clock.advance(340 * DAY_MS);
  await failed.promise;
  await clock.advance(DAY_MS);
  await applied.promise;
  expect(failures).toHaveLength(1);
  stop.abort();
  await running;
});

describe('Files with certificates', () => {
  async function follow() {
    const authority = await createAuthority('clients', 10, NOW);
    const issue = () =>
      issueCertificate(authority, { commonName: 'server', hosts: ['localhost'], usage: 'server', days: 1 }, NOW);
    const clock = new SteppedClock({ startMs: NOW });
    let files: CertificateSet = { server: await issue(), clientCa: authority.certificate };
    const certificates = new LiveCertificates(files);
    const stop = new AbortController();
    const failures: string[] = [];
    let reads = 0;
    let changes = 0;
    const running = reloadWhileRunning({
      read: async () => {
        reads++;
        return files;
      },
      first: files,
      certificates,
      clock,
      signal: stop.signal,
      onChange: () => changes++,
      onFailure: (error) => failures.push(String(error)),
    });
    return {
      authority,
      issue,
      certificates,
      clock,
      failures,
      counts: () => ({ reads, changes }),
      write: (change: Partial<CertificateSet>) => {
        files = { ...files, ...change };
      },
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  }

  test('are shown within a minute of their change, and only then', async () => {
    await using files = await follow();
    const { clock, certificates, issue } = files;
    await using listener = await listen(certificates);
    await clock.advance(3 * MINUTE_MS);
    expect(files.counts()).toEqual({ reads: 3, changes: 0 });
    const server = await issue();
    files.write({ server });
    await clock.advance(MINUTE_MS);
    expect(await shownBy(listener)).toBe(pemOf(server));
    expect(files.counts()).toEqual({ reads: 4, changes: 1 });
  });

  test('that are damaged, or of which one half is new, change nothing and are told once', async () => {
    await using files = await follow();
    const { clock, certificates, issue, failures } = files;
    await using listener = await listen(certificates);
    const old = certificates.current.server;
    const server = await issue();
    files.write({ server: { ...old, certificate: server.certificate } });
    await clock.advance(5 * MINUTE_MS);
    expect(failures).toEqual([expect.stringContaining('Cannot use a certificate with its key')]);
    files.write({ server: { ...server, certificate: server.certificate.slice(0, 200) } });
    await clock.advance(5 * MINUTE_MS);
    files.write({ server: old, clientCa: 'nothing' });
    await clock.advance(5 * MINUTE_MS);
    expect(failures).toHaveLength(3);
    expect(await shownBy(listener)).toBe(pemOf(old));
    files.write({ server, clientCa: files.authority.certificate });
    await clock.advance(MINUTE_MS);
    expect(await shownBy(listener)).toBe(pemOf(server));
  });

  test('say who signs client certificates, also for connections that are open', async () => {
    await using files = await follow();
    const { clock, certificates, authority } = files;
    const other = await createAuthority('others', 10, NOW);
    const clientOf = async (by: KeyPair) =>
      await issueCertificate(by, { commonName: 'ann', usage: 'client', days: 1 }, NOW);
    const authenticator = await authenticatorOf(certificates, {}, clock);
    const peerOf = async (by: KeyPair) => ({
      address: '',
      certificate: new X509Certificate((await clientOf(by)).certificate).raw,
    });
    const [ours, theirs] = [await peerOf(authority), await peerOf(other)];
    const ask = (peer: typeof ours) =>
      authenticator.authenticate({
        method: 'GET',
        path: '/',
        query: '',
        headers: {},
        body: new Uint8Array(),
        signal: new AbortController().signal,
        peer,
      });
    expect(ask(ours)).toHaveProperty('user');
    expect(ask(theirs)).toHaveProperty('refused');
    files.write({ clientCa: other.certificate });
    await clock.advance(MINUTE_MS);
    expect(ask(ours)).toHaveProperty('refused');
    expect(ask(theirs)).toHaveProperty('user');
  });
});
