import type { KubernetesObject } from '@pintle/machinery';
import { MemoryDisk, openMemoryStore, type Revision } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import type { SendOptions, TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const UNSAFE = { ignoreStoreReadErrorWithClusterBreakingPotential: true };

interface Answer {
  readonly code: number;
  readonly body: KubernetesObject & { items: KubernetesObject[]; reason: string; message: string; details: object };
  readonly warnings: readonly string[];
}

async function ask(server: TestServer, method: string, path: string, options?: SendOptions): Promise<Answer> {
  const response = await server.send(method, path, options);
  const warnings = [response.headers.warning ?? []].flat();
  return { code: response.status, body: JSON.parse(await textOf(response)), warnings };
}

/** A server whose store was closed, damaged where `paths` lie, and opened again. */
async function openDamaged(
  paths: readonly string[],
  prepare: (server: TestServer) => Promise<void>,
): Promise<TestServer & { readonly errors: unknown[] }> {
  const disk = new MemoryDisk();
  const damaged: number[] = [];
  {
    await using server = await openTestServer({ store: await openMemoryStore({ disk }) });
    await prepare(server);
    for (const path of paths) {
      const { body } = await ask(server, 'GET', path);
      damaged.push(Number(body.metadata.resourceVersion));
    }
  }
  for (const revision of damaged) {
    const [sub, bytes] = [...disk.values.get(revision as Revision)!][0]!;
    disk.values.get(revision as Revision)!.set(sub, Buffer.alloc(bytes.length));
  }
  const errors: unknown[] = [];
  const server = await openTestServer({
    store: await openMemoryStore({ disk }),
    onError: (error) => errors.push(error),
  });
  return { ...server, errors };
}

const threeMaps = async (server: TestServer): Promise<void> => {
  for (const name of ['a', 'b', 'c'])
    await server.send('POST', MAPS, { body: { metadata: { name, labels: { app: 'x' }, finalizers: ['a.io/b'] } } });
};

const namesIn = ({ body }: Answer): unknown[] => body.items.map(({ metadata }) => metadata.name);

describe('a damaged object', () => {
  test('does not keep the others of its collection from being listed', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    for (const query of ['', '?limit=1', '?limit=2', '?labelSelector=app%3Dx', '?resourceVersion=0']) {
      const found: unknown[] = [];
      for (let more = ''; ; ) {
        const page = await ask(server, 'GET', `${MAPS}${query}${more}`);
        expect(page.code).toBe(200);
        found.push(...namesIn(page));
        const { continue: token } = page.body.metadata as { continue?: string };
        if (!token) break;
        more = `&continue=${encodeURIComponent(token)}`;
      }
      expect(found, query).toEqual(['a', 'c']);
    }
    const { warnings } = await ask(server, 'GET', MAPS);
    expect(warnings).toEqual(['299 - "the list lacks default/b: the stored object is damaged"']);
    expect(server.errors).not.toHaveLength(0);
  });

  test('is not taken for one that is gone: it can be neither read, created, changed nor deleted', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const merge = { headers: { 'content-type': 'application/merge-patch+json' }, body: {} };
    expect((await ask(server, 'GET', `${MAPS}/b`)).code).toBe(500);
    expect((await ask(server, 'PATCH', `${MAPS}/b`, merge)).code).toBe(500);
    expect((await ask(server, 'DELETE', `${MAPS}/b`)).code).toBe(500);
    const { code } = await ask(server, 'POST', MAPS, { body: { metadata: { name: 'b' } } });
    expect([409, 500]).toContain(code);
    const metrics = await textOf(await server.send('GET', '/metrics'));
    expect(metrics).toContain('pintle_store_damaged_objects 1');
  });

  test('is deleted with ignoreStoreReadErrorWithClusterBreakingPotential, finalizers or not', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const { code, body } = await ask(server, 'DELETE', `${MAPS}/b`, { body: UNSAFE });
    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'b', kind: 'ConfigMap' } });
    expect((await ask(server, 'GET', `${MAPS}/b`)).code).toBe(404);
    const listed = await ask(server, 'GET', MAPS);
    expect([namesIn(listed), listed.warnings]).toEqual([['a', 'c'], []]);
    expect((await ask(server, 'POST', MAPS, { body: { metadata: { name: 'b' } } })).code).toBe(201);
    expect(await textOf(await server.send('GET', '/metrics'))).toContain('pintle_store_damaged_objects 0');
  });

  test('is deleted by a query that asks for it', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const path = `${MAPS}/b?ignoreStoreReadErrorWithClusterBreakingPotential=true`;
    expect((await ask(server, 'DELETE', path)).code).toBe(200);
  });

  test('ends a watch that saw it deleted with an error after which clients list anew', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const { body } = await ask(server, 'GET', MAPS);
    const version = (body.metadata as { resourceVersion?: string }).resourceVersion;
    const live = await server.send('GET', `${MAPS}?watch=true&resourceVersion=${version}`);
    await ask(server, 'DELETE', `${MAPS}/b`, { body: UNSAFE });
    const late = await server.send('GET', `${MAPS}?watch=true&resourceVersion=${version}`);
    for (const watch of [live, late]) {
      const events = (await textOf(watch))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events).toMatchObject([{ type: 'ERROR', object: { reason: 'StorageReadError', code: 500 } }]);
    }
  });

  test('is told of when its collection is deleted, after everything else of it', async () => {
    await using server = await openDamaged([`${MAPS}/b`], async (before) => {
      for (const name of ['a', 'b', 'c']) await before.send('POST', MAPS, { body: { metadata: { name } } });
    });
    const { code, body } = await ask(server, 'DELETE', MAPS);
    expect([code, body.message]).toEqual([500, expect.stringContaining('damaged')]);
    expect(namesIn(await ask(server, 'GET', MAPS))).toEqual([]);
    await ask(server, 'DELETE', `${MAPS}/b`, { body: UNSAFE });
    expect((await ask(server, 'DELETE', MAPS)).code).toBe(200);
  });
});

describe('the unsafe deletion', () => {
  test('is refused for an object that can be read, and for one that is not there', async () => {
    await using server = await openDamaged([], threeMaps);
    for (const name of ['a', 'none']) {
      const { code, body } = await ask(server, 'DELETE', `${MAPS}/${name}`, { body: UNSAFE });
      expect([code, body.reason]).toEqual([422, 'Invalid']);
      expect(body.message).toBe(
        `configmaps "${name}" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option`,
      );
    }
    expect((await ask(server, 'GET', `${MAPS}/a`)).code).toBe(200);
  });

  test.each([
    ['dryRun', ['All']],
    ['propagationPolicy', 'Background'],
    ['orphanDependents', false],
    ['gracePeriodSeconds', 0],
    ['preconditions', { uid: 'x' }],
  ])('cannot be asked for together with %s', async (name, value) => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const { code, body } = await ask(server, 'DELETE', `${MAPS}/b`, { body: { ...UNSAFE, [name]: value } });
    expect([code, body.message]).toEqual([422, expect.stringContaining(`cannot be set together with .${name}`)]);
    expect((await ask(server, 'GET', `${MAPS}/b`)).code).toBe(500);
  });

  test('is not for whole collections', async () => {
    await using server = await openDamaged([`${MAPS}/b`], threeMaps);
    const { code, body } = await ask(server, 'DELETE', MAPS, { body: UNSAFE });
    expect([code, body.message]).toEqual([422, expect.stringContaining('is not allowed with DELETECOLLECTION')]);
  });

  test('takes a verb of its own besides delete', async () => {
    await using server = await openDamaged([`${MAPS}/b`], async (before) => {
      await threeMaps(before);
      await allow(before, 'ann', ['delete']);
      await allow(before, 'bob', ['delete', 'unsafe-delete-ignore-read-errors']);
    });
    const asAnn = { body: UNSAFE, user: { username: 'ann', groups: ['system:authenticated'] } };
    const { code, body } = await ask(server, 'DELETE', `${MAPS}/b`, asAnn);
    expect([code, body.message]).toEqual([403, expect.stringContaining('unsafe-delete-ignore-read-errors')]);
    const asBob = { body: UNSAFE, user: { username: 'bob', groups: ['system:authenticated'] } };
    expect((await ask(server, 'DELETE', `${MAPS}/b`, asBob)).code).toBe(200);
  });
});

describe('a server starts beside a damaged', () => {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

  test.each([
    ['role of its own', `${RBAC}/clusterroles/view`],
    ['binding of its own', `${RBAC}/clusterrolebindings/system:basic-user`],
    ['namespace', '/api/v1/namespaces/kube-system'],
    ['flow schema', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all'],
    ['priority level', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low'],
    ['APIService', '/apis/apiregistration.k8s.io/v1/apiservices/v1.'],
    ['service', '/api/v1/namespaces/default/services/kubernetes'],
    ['priority class', '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical'],
  ])('%s, and says which it is', async (_what, path) => {
    await using server = await openDamaged([path], async () => {});
    expect(server.errors.map(String).join()).toContain(path.split('/').at(-1));
    expect((await ask(server, 'DELETE', path, { body: UNSAFE })).code).toBe(200);
    expect((await ask(server, 'POST', MAPS, { body: { metadata: { name: 'later' } } })).code).toBe(201);
  });

  test('webhook configuration, and admits nothing that it might forbid until that is deleted', async () => {
    await using server = await openDamaged([`${POLICIES}/guard`], async (before) => {
      await before.send('POST', POLICIES, { body: { metadata: { name: 'guard' }, webhooks: [] } });
    });
    const create = () => ask(server, 'POST', MAPS, { body: { metadata: { name: 'x' } } });
    expect((await create()).code).toBe(500);
    expect((await ask(server, 'DELETE', `${POLICIES}/guard`, { body: UNSAFE })).code).toBe(200);
    expect((await create()).code).toBe(201);
  });
});

async function allow(server: TestServer, name: string, verbs: readonly string[]): Promise<void> {
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }];
  await server.send('POST', `${roles}roles`, { body: { metadata: { name }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  await server.send('POST', `${roles}rolebindings`, { body: { metadata: { name }, roleRef, subjects } });
}
