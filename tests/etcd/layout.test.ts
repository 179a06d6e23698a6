import { inProcess } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { KubernetesLayout, parseEncryptionConfig, ValueEncryption } from '@pintle/kube-apiserver/storage';
import { decodeEnvelope } from '@pintle/machinery/protobuf';
import type { Store } from '@pintle/store';
import { openEtcdStore } from '@pintle/store-etcd';
import { EtcdProcess, etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const binary = findEtcd(etcdVersions[0]!);
const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const DEFAULT = '/api/v1/namespaces/default';
const key = (name: string, byte: number) => ({ name, secret: Buffer.alloc(32, byte).toString('base64') });
const [ONE, TWO] = [key('one', 1), key('two', 2)];

const configOf = (...keys: object[]) =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }],
  });

describe.skipIf(binary === undefined)('objects in etcd', () => {
  let etcd: EtcdProcess;
  /** All keys of etcd as they are. */
  let raw: Store;
  beforeAll(async () => {
    etcd = await EtcdProcess.start({ binary: binary! });
    raw = await openEtcdStore({ endpoints: etcd.endpoints, prefix: '/', compactionIntervalMs: 0 });
  });
  afterAll(async () => {
    await raw?.close();
    await etcd?.[Symbol.asyncDispose]();
  });

  const bytesAt = async (path: string) => {
    await raw.latest();
    return Buffer.from((await raw.get(path))!.value);
  };
  const putRaw = (path: string, value: string) =>
    raw.commit([{ type: 'put', key: path, value: Buffer.from(value, 'latin1') }]);

  async function openServer(prefix: string, config?: string, bootstrap: { advertiseAddress?: string } = {}) {
    const encryption = await ValueEncryption.create(config === undefined ? [] : parseEncryptionConfig(config));
    const layout = new KubernetesLayout({ prefix, encryption });
    const store = await openEtcdStore({ endpoints: etcd.endpoints, prefix, layout, compactionIntervalMs: 0 });
    const options = { store, clock: realClock, random: systemRandom, disabledAdmission: ['ServiceAccount'], bootstrap };
    const server = await KubeApiServer.open({ ...options, authenticator: { authenticate: () => undefined } });
    const send = async (method: string, path: string, body?: object) => {
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const response = await inProcess(
        server,
        ADMIN,
      )({ method, path, query: '', headers: {}, ...(bytes && { body: bytes }) });
      const chunks: Uint8Array[] = [];
      if (response.body instanceof Uint8Array) chunks.push(response.body);
      else for await (const chunk of response.body) chunks.push(chunk);
      return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) };
    };
    const close = async () => {
      await server.close();
      await store.close();
    };
    return { send, [Symbol.asyncDispose]: close };
  }

  const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });
  const fruits = {
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

  test('lie where Kubernetes has them, in its form, and are served by the next server as by the first', async () => {
    const paths = ['/api/v1/services', '/api/v1/namespaces', `${DEFAULT}/configmaps`];
    const before: unknown[] = [];
    {
      await using server = await openServer('/registry/');
      expect((await server.send('POST', `${DEFAULT}/configmaps`, configMap('map'))).status).toBe(201);
      expect(
        (await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', fruits)).status,
      ).toBe(201);
      const fruit = { apiVersion: 'example.com/v1', kind: 'Fruit', metadata: { name: 'apple' } };
      const create = async () =>
        (await server.send('POST', '/apis/example.com/v1/namespaces/default/fruits', fruit)).status;
      await expect.poll(create, { timeout: 5000, interval: 20 }).toBe(201);
      for (const path of paths) before.push((await server.send('GET', path)).body.items);
    }
    const typeAt = async (path: string) => {
      const { apiVersion, kind } = decodeEnvelope(await bytesAt(path));
      return `${apiVersion} ${kind}`;
    };
    expect(await typeAt('registry/configmaps/default/map')).toBe('v1 ConfigMap');
    expect(await typeAt('registry/services/specs/default/kubernetes')).toBe('v1 Service');
    const definition = await bytesAt('registry/apiextensions.k8s.io/customresourcedefinitions/fruits.example.com');
    expect(JSON.parse(definition.toString())).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
    });
    expect(JSON.parse((await bytesAt('registry/example.com/fruits/default/apple')).toString())).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'Fruit',
      metadata: { name: 'apple' },
    });
    await using next = await openServer('/registry/');
    for (const [index, path] of paths.entries())
      expect((await next.send('GET', path)).body.items).toEqual(before[index]);
    const apple = await next.send('GET', '/apis/example.com/v1/namespaces/default/fruits/apple');
    expect(apple.body).toMatchObject({ kind: 'Fruit', metadata: { name: 'apple' } });
  });

  test('of others, and damaged ones, hinder nobody', async () => {
    await putRaw('others/ranges/serviceips', 'anything');
    await putRaw('others/configmaps/default/bad', 'not an object');
    await using server = await openServer('/others/');
    expect((await server.send('POST', `${DEFAULT}/configmaps`, configMap('good'))).status).toBe(201);
    const { body } = await server.send('GET', `${DEFAULT}/configmaps`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['good']);
    expect((await server.send('GET', `${DEFAULT}/configmaps/bad`)).status).toBe(500);
    expect((await bytesAt('others/ranges/serviceips')).toString()).toBe('anything');
  });

  test('claim node ports once, with the bits that Kubernetes has for them, also those of services that it has written', async () => {
    const service = (name: string, nodePort?: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type: 'NodePort', ports: [{ port: 80, ...(nodePort !== undefined && { nodePort }) }] },
    });
    const path = `${DEFAULT}/services`;
    {
      await using server = await openServer('/ports/');
      expect((await server.send('POST', path, service('first', 30_100))).status).toBe(201);
      expect((await server.send('POST', path, service('second', 30_100))).status).toBe(422);
      expect((await server.send('DELETE', `${path}/first`)).status).toBe(200);
      expect((await server.send('POST', path, service('first', 30_100))).status).toBe(201);
      expect(decodeEnvelope(await bytesAt('ports/ranges/servicenodeports')).kind).toBe('RangeAllocation');
    }
    await raw.commit([{ type: 'delete', key: 'ports/ranges/servicenodeports' }]);
    await using server = await openServer('/ports/');
    await using other = await openServer('/ports/');
    expect((await server.send('POST', path, service('second', 30_100))).status).toBe(422);
    const ports = Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? server : other).send('POST', path, service(`many-${index}`)),
    );
    const created = await Promise.all(ports);
    expect(created.map(({ status }) => status)).toEqual(ports.map(() => 201));
    expect(new Set(created.map(({ body }) => body.spec.ports[0].nodePort)).size).toBe(ports.length);
  });

  test('are served beside servers with another range of node ports, which are then not allocated', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'ports' }, spec: { ports: [{ port: 80 }] } };
    const typed = { ...service, metadata: { name: 'typed' }, spec: { ...service.spec, type: 'NodePort' } };
    const path = `${DEFAULT}/services`;
    {
      await using server = await openServer('/ranges/');
      expect((await server.send('POST', path, typed)).status).toBe(201);
    }
    const ranges = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: '20000-21000', data: 'AQ==' };
    await putRaw('ranges/ranges/servicenodeports', JSON.stringify(ranges));
    await using server = await openServer('/ranges/');
    expect((await server.send('POST', path, service)).status).toBe(201);
    const refused = await server.send('POST', path, { ...typed, metadata: { name: 'other' } });
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining('the range "20000-21000"')]);
    expect((await server.send('DELETE', `${path}/typed`)).status).toBe(200);
    expect(JSON.parse((await bytesAt('ranges/ranges/servicenodeports')).toString())).toEqual(ranges);
  });

  test('name all servers as endpoints of the kubernetes Service, and those that have stopped no longer', async () => {
    const path = `${DEFAULT}/endpoints/kubernetes`;
    await using first = await openServer('/several/', undefined, { advertiseAddress: '192.0.2.1' });
    const addresses = async () => {
      const { body } = await first.send('GET', path);
      return (body.subsets ?? []).flatMap((subset: { addresses: { ip: string }[] }) =>
        subset.addresses.map(({ ip }) => ip),
      );
    };
    await expect.poll(addresses, { timeout: 10_000 }).toEqual(['192.0.2.1']);
    {
      await using _second = await openServer('/several/', undefined, { advertiseAddress: '192.0.2.2' });
      await expect.poll(addresses, { timeout: 10_000 }).toEqual(['192.0.2.1', '192.0.2.2']);
      const slice = await first.send('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
      expect(slice.body.endpoints).toHaveLength(2);
    }
    expect(await addresses()).toEqual(['192.0.2.1']);
    const { apiVersion, kind } = decodeEnvelope(await bytesAt('several/masterleases/192.0.2.1'));
    expect([apiVersion, kind]).toEqual(['v1', 'Endpoints']);
  });

  test('in the former format are refused with a sentence', async () => {
    await putRaw('former/core/namespaces/default', '\x01');
    await expect(openServer('/former/')).rejects.toThrow('objects in a former format of Pintle');
  });

  test('are encrypted, and written with a new key by an update without a change', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { password: 'sweet' } };
    const path = `${DEFAULT}/secrets/login`;
    const stored = async () => (await bytesAt('sealed/secrets/default/login')).toString('latin1');
    {
      await using server = await openServer('/sealed/', configOf(ONE));
      expect((await server.send('POST', `${DEFAULT}/secrets`, secret)).status).toBe(201);
      const { body } = await server.send('GET', path);
      const unchanged = await server.send('PUT', path, body);
      expect(unchanged.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    }
    expect(await stored()).toMatch(/^k8s:enc:aesgcm:v1:one:/);
    {
      await using server = await openServer('/sealed/', configOf(TWO, ONE));
      const { body } = await server.send('GET', path);
      expect((await server.send('PUT', path, body)).status).toBe(200);
    }
    expect(await stored()).toMatch(/^k8s:enc:aesgcm:v1:two:/);
    await using server = await openServer('/sealed/', configOf(TWO));
    const { body } = await server.send('GET', path);
    expect(Buffer.from(body.data.password, 'base64').toString()).toBe('sweet');
  });
});
