import { type ApiResponse, inProcess } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { KubernetesLayout, ValueEncryption } from '@pintle/kube-apiserver/storage';
import type { Store } from '@pintle/store';
import { openEtcdStore } from '@pintle/store-etcd';
import { EtcdProcess, etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const binary = findEtcd(etcdVersions[0]!);
const pairs = Number(process.env.PINTLE_ETCD_PAIRS ?? 200);
/** Who write and read at a time. */
const WORKERS = Number(process.env.PINTLE_ETCD_WORKERS ?? 2);
const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Body {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly Body[];
}

/** One API server of several over the same etcd. */
class Server {
  readonly #server: KubeApiServer;
  readonly #store: Store;

  static async open(endpoints: readonly string[]): Promise<Server> {
    const layout = new KubernetesLayout({ prefix: '/registry/', encryption: await ValueEncryption.create() });
    const store = await openEtcdStore({ endpoints, prefix: '/registry/', layout });
    const server = await KubeApiServer.open({
      store,
      clock: realClock,
      random: systemRandom,
      authenticator: { authenticate: () => undefined },
      disabledAdmission: ['ServiceAccount'],
    });
    return new Server(server, store);
  }

  private constructor(server: KubeApiServer, store: Store) {
    this.#server = server;
    this.#store = store;
  }

  async send(method: string, target: string, body?: object): Promise<{ status: number; body: Body }> {
    const response = await this.open(method, target, body);
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) };
  }

  async open(method: string, target: string, body?: object, signal?: AbortSignal): Promise<ApiResponse> {
    const [path = '', query = ''] = target.split('?', 2);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const request = { method, path, query, headers: {}, ...(bytes && { body: bytes }), ...(signal && { signal }) };
    return await inProcess(this.#server, ADMIN)(request);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#store.close();
  }
}

const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

describe.skipIf(binary === undefined)('three API servers on one etcd of three', () => {
  let etcd: EtcdProcess;
  let servers: readonly Server[] = [];
  beforeAll(async () => {
    etcd = await EtcdProcess.start({ binary: binary!, members: 3 });
    servers = await Promise.all([0, 1, 2].map(() => Server.open(etcd.endpoints)));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await etcd?.[Symbol.asyncDispose]();
  });
  const at = (index: number) => servers[index % servers.length]!;

  test('start at once and have the same first objects', async () => {
    const uids = await Promise.all(
      servers.map(async (server) => {
        const { body } = await server.send('GET', '/api/v1/namespaces');
        return body.items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
      }),
    );
    expect(uids[1]).toEqual(uids[0]);
    expect(uids[2]).toEqual(uids[0]);
    expect(uids[0]!.length).toBeGreaterThanOrEqual(4);
  });

  test(`show what another has acknowledged: ${pairs} pairs of a write and a consistent read`, {
    timeout: 60_000 + pairs * 50,
  }, async () => {
    const waits: number[] = [];
    const timed = async <T>(work: Promise<T>): Promise<T> => {
      const startedMs = realClock.monotonic();
      const outcome = await work;
      waits.push(realClock.monotonic() - startedMs);
      return outcome;
    };
    const round = async (pair: number): Promise<void> => {
      const name = `m${pair}`;
      const created = await at(pair).send('POST', MAPS, configMap(name, { n: '1' }));
      expect(created.status).toBe(201);
      const read = await timed(at(pair + 1).send('GET', `${MAPS}/${name}`));
      expect([read.status, read.body.metadata.uid]).toEqual([200, created.body.metadata.uid]);
      const updated = await at(pair + 1).send('PUT', `${MAPS}/${name}`, { ...read.body, data: { n: '2' } });
      expect(updated.status).toBe(200);
      const listed = await timed(at(pair + 2).send('GET', `${MAPS}?fieldSelector=metadata.name=${name}`));
      expect(listed.body.items[0]!.data).toEqual({ n: '2' });
      expect((await at(pair).send('DELETE', `${MAPS}/${name}`)).status).toBe(200);
      expect((await timed(at(pair + 1).send('GET', `${MAPS}/${name}`))).status).toBe(404);
    };
    const work = async (worker: number): Promise<void> => {
      for (let pair = 3 * worker; pair < pairs; pair += 3 * WORKERS) await round(pair);
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
    waits.sort((a, b) => a - b);
    const part = (share: number) => waits[Math.floor(waits.length * share)]!.toFixed(2);
    console.info(`${waits.length} consistent reads on other servers: p50 ${part(0.5)} ms, p99 ${part(0.99)} ms`);
  });

  test('refuse an update that another was faster with, and take it once it is based on that', async () => {
    await at(0).send('POST', MAPS, configMap('contended'));
    const writes = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        for (;;) {
          const { body } = await at(index).send('GET', `${MAPS}/contended`);
          const data = { ...body.data, [`k${index}`]: '1' };
          const { status } = await at(index).send('PUT', `${MAPS}/contended`, { ...body, data });
          if (status !== 409) return status;
        }
      }),
    );
    expect(new Set(writes)).toEqual(new Set([200]));
    const { body } = await at(1).send('GET', `${MAPS}/contended`);
    expect(Object.keys(body.data)).toHaveLength(12);
  });

  test('take objects in a namespace that another has just created', async () => {
    for (let round = 0; round < 10; round++) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `n${round}` } };
      expect((await at(round).send('POST', '/api/v1/namespaces', namespace)).status).toBe(201);
      const path = `/api/v1/namespaces/n${round}/configmaps`;
      expect((await at(round + 1).send('POST', path, configMap('a'))).status).toBe(201);
    }
  });

  test('tell watches what others write, in order', async () => {
    const { body: list } = await at(0).send('GET', MAPS);
    const stop = new AbortController();
    const query = `watch=true&resourceVersion=${list.metadata.resourceVersion}`;
    const watch = await at(0).open('GET', `${MAPS}?${query}`, undefined, stop.signal);
    const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
    for (const [index, name] of names.entries()) await at(index).send('POST', MAPS, configMap(name));
    const seen: string[] = [];
    let text = '';
    for await (const chunk of watch.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const { type, object } = JSON.parse(text.slice(0, end));
        seen.push(`${type} ${object.metadata.name}`);
        text = text.slice(end + 1);
      }
      if (seen.length >= names.length) break;
    }
    stop.abort();
    expect(seen).toEqual(names.map((name) => `ADDED ${name}`));
  });

  test('serve what another was taught, within a second', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'fruits.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'fruits', singular: 'fruit', kind: 'Fruit', listKind: 'FruitList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await at(0).send('POST', path, definition)).status).toBe(201);
    const fruits = '/apis/example.com/v1/namespaces/default/fruits';
    const isServed = async (server: Server) => (await server.send('GET', fruits)).status === 200;
    for (const server of servers) await expect.poll(() => isServed(server), { timeout: 5000, interval: 20 }).toBe(true);
    const fruit = { apiVersion: 'example.com/v1', kind: 'Fruit', metadata: { name: 'apple' } };
    expect((await at(1).send('POST', fruits, fruit)).status).toBe(201);
    expect((await at(2).send('GET', `${fruits}/apple`)).status).toBe(200);
  });

  test('answer any version from what they have seen while etcd is silent, refuse others, and come back', async () => {
    try {
      await Promise.all([0, 1, 2].map((member) => etcd.pause(member)));
      for (const target of [`${MAPS}?resourceVersion=0`, `${MAPS}/contended?resourceVersion=0`])
        expect((await at(0).send('GET', target)).status).toBe(200);
      const refused = await Promise.all([MAPS, `${MAPS}/contended`].map((target) => at(0).send('GET', target)));
      expect(refused.map(({ status }) => status)).toEqual([503, 503]);
      const readyz = async () => (await at(0).open('GET', '/readyz')).status;
      await expect.poll(readyz, { timeout: 10_000, interval: 100 }).toBe(500);
    } finally {
      for (const member of [0, 1, 2]) etcd.signal(member, 'SIGCONT');
    }
    const status = async () => (await at(0).send('POST', MAPS, configMap('after'))).status;
    await expect.poll(status, { timeout: 10_000, interval: 50 }).toBe(201);
  });
});
