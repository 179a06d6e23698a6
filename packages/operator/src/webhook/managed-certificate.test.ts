import { SeededRandom, SteppedClock } from '@pintle/async';
import { Client } from '@pintle/client';
import type { Secret } from '@pintle/kinds/core/v1';
import { isSignedBy, readCertificates } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { ManagedCertificate } from './managed-certificate.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const signal = new AbortController().signal;

/** A server that keeps one Secret, and what its clients have been told to trust. */
class Cluster {
  readonly clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  readonly happened: string[] = [];
  secret: Secret | undefined;
  published = '';
  /** Called before every write. */
  onWrite: () => void = () => undefined;
  #revision = 0;

  replica(hosts: readonly string[] = ['hooks.home.svc']): ManagedCertificate {
    const send = async ({ method, body }: { readonly method: string; readonly body?: unknown }) =>
      this.#answer(method, body === undefined ? undefined : JSON.parse(Buffer.from(body as Uint8Array).toString()));
    const client = new Client({ transport: { send: send as never }, clock: this.clock });
    return new ManagedCertificate({ client, clock: this.clock, secret: { namespace: 'home', name: 'tls' }, hosts });
  }

  load(replica: ManagedCertificate) {
    const publish = async (authorities: string) => {
      this.published = authorities;
      this.happened.push('publish');
    };
    return replica.load({ signal, publish });
  }

  /** Starts a replica the way the server does: what it loaded is published before it is ready. */
  async start(replica: ManagedCertificate) {
    const loaded = await this.load(replica);
    this.published = loaded.authorities!;
    return loaded;
  }

  get authorities() {
    return readCertificates(this.#text('ca.crt'));
  }

  get certificate() {
    return readCertificates(this.#text('tls.crt'))[0]!;
  }

  #text(key: string): string {
    return Buffer.from(this.secret?.data?.[key] ?? '', 'base64').toString();
  }

  #answer(method: string, sent: Secret | undefined) {
    if (method === 'GET') return this.secret === undefined ? refusal(404, 'NotFound') : answer(this.secret);
    this.onWrite();
    if (method === 'POST' && this.secret !== undefined) return refusal(409, 'AlreadyExists');
    const isStale = sent!.metadata.resourceVersion !== this.secret?.metadata.resourceVersion;
    if (method === 'PUT' && isStale) return refusal(409, 'Conflict');
    this.happened.push(method === 'POST' ? 'create' : 'update');
    this.secret = { ...sent!, metadata: { ...sent!.metadata, resourceVersion: `${++this.#revision}` } };
    return answer(this.secret);
  }
}

function answer(body: object, status = 200) {
  const headers = { 'content-type': 'application/json' };
  return {
    status,
    headers,
    body: (async function* () {
      yield Buffer.from(JSON.stringify(body));
    })(),
  };
}

function refusal(code: number, reason: string) {
  return answer({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code }, code);
}

describe('certificates of an authority of one’s own', () => {
  test('are made once, for all replicas', async () => {
    const cluster = new Cluster();
    const [first, second] = await Promise.all([cluster.replica(), cluster.replica()].map((one) => cluster.load(one)));
    expect(first).toEqual(second);
    expect(cluster.happened).toEqual(['create']);
    expect(isSignedBy(cluster.certificate, cluster.authorities[0]!)).toBe(true);
    expect(cluster.certificate.subjectAltName).toBe('DNS:hooks.home.svc');
  });

  test('are renewed when a third of their life is left', async () => {
    const cluster = new Cluster();
    const replica = cluster.replica();
    const first = await cluster.load(replica);
    await cluster.clock.advance(59 * DAY_MS);
    expect(await cluster.load(replica)).toEqual(first);
    await cluster.clock.advance(2 * DAY_MS);
    const next = await cluster.load(replica);
    expect(next.certificate).not.toBe(first.certificate);
    expect(next.authorities).toBe(first.authorities);
  });

  test('come from a new authority only after that was published', async () => {
    const cluster = new Cluster();
    const replica = cluster.replica();
    const first = await cluster.start(replica);
    await cluster.clock.advance(244 * DAY_MS);
    cluster.happened.length = 0;
    await cluster.load(replica);
    expect(cluster.happened).toEqual(['update', 'publish', 'update']);
    const [authority, former] = cluster.authorities;
    expect(isSignedBy(cluster.certificate, authority!)).toBe(true);
    expect(former!.toString()).toBe(first.authorities);
    expect(readCertificates(cluster.published)).toHaveLength(2);
  });

  test('follow the names they are for', async () => {
    const cluster = new Cluster();
    await cluster.load(cluster.replica());
    await cluster.load(cluster.replica(['other.home.svc', '10.0.0.1']));
    expect(cluster.certificate.subjectAltName).toBe('DNS:other.home.svc, IP Address:10.0.0.1');
  });

  test("are not kept in somebody else's Secret", async () => {
    const cluster = new Cluster();
    const metadata = { namespace: 'home', name: 'tls', resourceVersion: '7' };
    cluster.secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: 'eA==' } };
    await expect(cluster.load(cluster.replica())).rejects.toThrow(
      'Cannot store certificates in Secret home/tls: it was not created by this operator',
    );
    expect(cluster.happened).toEqual([]);
  });

  test('are trusted on every day of five years, whoever renews them and dies on the way (seed 7)', async () => {
    const cluster = new Cluster();
    const random = new SeededRandom(7);
    cluster.onWrite = () => {
      if (random.next() < 0.3) throw new Error('This process is gone');
    };
    const seen = new Set<string>();
    let started = false;
    for (let day = 0; day < 5 * 365; day += 5) {
      await cluster.clock.advance(5 * DAY_MS);
      const replica = cluster.replica();
      const loaded = await (started ? cluster.load(replica) : cluster.start(replica)).catch(() => undefined);
      if (loaded !== undefined) started = true;
      if (!started) continue;
      const trusted = readCertificates(cluster.published);
      const now = cluster.clock.now();
      const served = cluster.certificate;
      seen.add(served.fingerprint);
      const vouches = trusted.filter((one) => isSignedBy(served, one) && Date.parse(one.validTo) > now);
      expect(vouches, `day ${day}`).not.toEqual([]);
      expect(Date.parse(served.validTo), `day ${day}`).toBeGreaterThan(now);
      expect(cluster.authorities.length).toBeLessThanOrEqual(2);
    }
    expect(seen.size).toBeGreaterThan(25);
  });
});
