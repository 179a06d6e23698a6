import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import type { UserInfo } from '@pintle/apiserver';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const HOME = '/api/v1/namespaces/default';
const nodeUser = (name: string): UserInfo => ({
  username: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});

const open = (): Promise<TestApi> => openTestApi({ authorization: ['Node', 'RBAC'] });

async function ask(api: TestApi, node: string, method: string, path: string, body?: object, type = 'json') {
  const headers = { 'content-type': `application/${type}` };
  return (await api.server.send(method, path, { user: nodeUser(node), headers, ...(body && { body }) })).status;
}

async function review(api: TestApi, node: string, resourceAttributes: object): Promise<unknown> {
  const { username, groups } = nodeUser(node);
  const spec = { user: username, groups, resourceAttributes };
  const { body } = await api.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
  return body.status;
}

/** A pod on a node, with everything a pod can name. */
async function place(api: TestApi, name: string, nodeName: string): Promise<string> {
  const { body } = await api.post(`${HOME}/pods`, {
    metadata: { name },
    spec: {
      nodeName,
      serviceAccountName: `${name}-account`,
      imagePullSecrets: [{ name: `${name}-pull` }],
      resourceClaims: [{ name: 'c', resourceClaimTemplateName: 'template' }],
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: { limits: { 'example.com/gpu': '1' } },
          envFrom: [{ secretRef: { name: `${name}-env-from` } }, { configMapRef: { name: `${name}-map-from` } }],
          env: [{ name: 'a', valueFrom: { secretKeyRef: { name: `${name}-env`, key: 'k' } } }],
        },
      ],
      volumes: [
        { name: 'a', secret: { secretName: `${name}-volume` } },
        { name: 'b', configMap: { name: `${name}-map` } },
        {
          name: 'c',
          projected: {
            sources: [
              { secret: { name: `${name}-projected` } },
              { serviceAccountToken: { path: 'token' } },
              { serviceAccountToken: { path: 'vault', audience: 'vault' } },
            ],
          },
        },
        { name: 'd', persistentVolumeClaim: { claimName: `${name}-claim` } },
      ],
    },
  });
  return body.metadata.uid ?? '';
}

async function certificateRequest(commonName: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const name = `O=system:nodes, CN=${commonName}`;
  return (await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm })).toString('pem');
}

describe('A node', () => {
  test('reads what its pods need, by name and only while they are there', async () => {
    await using api = await open();
    await place(api, 'mine', 'a');
    await place(api, 'other', 'b');
    const secrets = ['pull', 'env-from', 'env', 'volume', 'projected'];
    for (const name of secrets) {
      const get = (pod: string) => ask(api, 'a', 'GET', `${HOME}/secrets/${pod}-${name}`);
      expect(await get('mine'), name).toBe(404);
      expect(await get('other'), name).toBe(403);
    }
    for (const [path, status] of [
      ['configmaps/mine-map', 404],
      ['configmaps/mine-map-from', 404],
      ['configmaps/other-map', 403],
      ['persistentvolumeclaims/mine-claim', 404],
      ['persistentvolumeclaims/other-claim', 403],
      ['pods/mine', 200],
      ['pods/other', 403],
      ['secrets', 403],
      ['secrets?fieldSelector=metadata.name%3Dmine-env', 200],
      ['secrets?fieldSelector=metadata.name%3Dother-env', 403],
      ['pods', 403],
      ['pods?fieldSelector=spec.nodeName%3Da', 200],
      ['pods?fieldSelector=spec.nodeName%3Db', 403],
    ] as const) {
      expect(await ask(api, 'a', 'GET', `${HOME}/${path}`), path).toBe(status);
    }
    for (const method of ['PUT', 'DELETE']) expect(await ask(api, 'a', method, `${HOME}/secrets/mine-env`)).toBe(403);
    await api.delete(`${HOME}/pods/mine`, { gracePeriodSeconds: 0 });
    expect(await ask(api, 'a', 'GET', `${HOME}/secrets/mine-env`)).toBe(403);
  });

  test.each<[string, object, string]>([
    ['get', { resource: 'secrets', namespace: 'x' }, 'No Object name found'],
    ['get', { resource: 'persistentvolumes', name: 'v', subresource: 'status' }, 'cannot get subresource'],
    ['list', { resource: 'nodes' }, "node 'a' cannot read all nodes, only its own Node object"],
    [
      'list',
      { resource: 'leases', group: 'coordination.k8s.io' },
      'can only get, create, update, patch, or delete a node lease',
    ],
    [
      'list',
      { resource: 'csinodes', group: 'storage.k8s.io' },
      'can only get, create, update, patch, or delete a CSINode',
    ],
    [
      'list',
      { resource: 'resourceslices', group: 'resource.k8s.io' },
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    ['get', { resource: 'persistentvolumeclaims', subresource: 'status' }, 'can only get/update/patch this type'],
    ['create', { resource: 'serviceaccounts', name: 's' }, 'can only create token subresource of serviceaccount'],
    ['update', { resource: 'serviceaccounts' }, 'can only create tokens for individual service accounts'],
  ])('is told why it may not %s %j: %s', async (verb, target, reason) => {
    await using api = await open();
    expect(await review(api, 'a', { verb, ...target })).toEqual({ allowed: false, reason });
  });

  test.each<[string, object]>([
    ['a selector of requirements', { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['a'] }] }],
    ['a selector as text', { rawSelector: 'spec.nodeName=a' }],
  ])('is asked about with %s as if it had sent it', async (_what, fieldSelector) => {
    await using api = await open();
    for (const target of [{ resource: 'pods' }, { resource: 'resourceslices', group: 'resource.k8s.io' }]) {
      expect(await review(api, 'a', { verb: 'list', ...target, fieldSelector })).toEqual({ allowed: true });
      expect(await review(api, 'b', { verb: 'list', ...target, fieldSelector })).toMatchObject({ allowed: false });
    }
  });

  test('reads the volume that its pod claims, and the Secret of that', async () => {
    await using api = await open();
    await place(api, 'mine', 'a');
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' };
    await api.post(`${HOME}/persistentvolumeclaims`, { metadata: { name: 'mine-claim' }, spec });
    const csi = {
      driver: 'd.example.com',
      volumeHandle: 'h',
      nodeStageSecretRef: { namespace: 'kube-system', name: 'mount' },
    };
    const claimRef = { namespace: 'default', name: 'mine-claim' };
    const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi, claimRef };
    await api.post('/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec: volume });
    await api.post('/api/v1/persistentvolumes', { metadata: { name: 'w' }, spec: { ...volume, claimRef: undefined } });
    const read = (path: string) => ask(api, 'a', 'GET', path);
    expect(await read('/api/v1/persistentvolumes/v')).toBe(200);
    expect(await read('/api/v1/persistentvolumes/w')).toBe(403);
    expect(await read('/api/v1/namespaces/kube-system/secrets/mount')).toBe(404);
    expect(await read('/api/v1/namespaces/kube-system/secrets/other')).toBe(403);
  });

  test('writes about itself, and gives itself no more than it is given', async () => {
    await using api = await open();
    const nodes = '/api/v1/nodes';
    const body = (name: string, metadata = {}, spec = {}) => ({ metadata: { name, ...metadata }, spec });
    expect(
      await ask(api, 'a', 'POST', nodes, body('a', { labels: { 'kubernetes.io/hostname': 'a', mine: 'x' } })),
    ).toBe(201);
    expect(await ask(api, 'a', 'POST', nodes, body('b'))).toBe(403);
    await api.post(nodes, { apiVersion: 'v1', kind: 'Node', ...body('b') });
    const patch = (name: string, change: object) =>
      ask(api, 'a', 'PATCH', `${nodes}/${name}`, change, 'merge-patch+json');
    expect(await patch('a', { metadata: { labels: { other: 'y' } } })).toBe(200);
    expect(await patch('b', { metadata: { labels: { other: 'y' } } })).toBe(403);
    for (const metadata of [
      { labels: { 'node-restriction.kubernetes.io/pci': 'yes' } },
      { labels: { 'node-role.kubernetes.io/control-plane': '' } },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }] },
    ]) {
      expect(await patch('a', { metadata }), JSON.stringify(metadata)).toBe(403);
    }
    expect(await patch('a', { spec: { taints: [] } })).toBe(403);
    expect(await ask(api, 'a', 'DELETE', `${nodes}/a`)).toBe(403);
    expect(await ask(api, 'a', 'GET', `${nodes}/a`)).toBe(200);
    expect(await ask(api, 'a', 'GET', `${nodes}/b`)).toBe(403);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    expect(await ask(api, 'a', 'POST', leases, { metadata: { name: 'b' }, spec: {} })).toBe(403);
    expect(await ask(api, 'a', 'POST', leases, { metadata: { name: 'a' }, spec: {} })).toBe(201);
    expect(await ask(api, 'a', 'GET', `${leases}/b`)).toBe(403);
  });

  test('writes the status of its own pods, evicts them, and makes none but those it runs already', async () => {
    await using api = await open();
    await place(api, 'mine', 'a');
    await place(api, 'other', 'b');
    const status = (pod: string) =>
      ask(api, 'a', 'PATCH', `${HOME}/pods/${pod}/status`, { status: { message: 'm' } }, 'merge-patch+json');
    expect(await status('mine')).toBe(200);
    expect(await status('other')).toBe(403);
    const evict = (name: string) =>
      ask(api, 'a', 'POST', `${HOME}/pods/${name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name },
      });
    expect(await evict('other')).toBe(403);
    expect(await ask(api, 'a', 'DELETE', `${HOME}/pods/other`)).toBe(403);
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const pod = (name: string, metadata: object, spec: object) => ({
      metadata: { name, ...metadata },
      spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i' }], ...spec },
    });
    const create = (sent: object) => ask(api, 'a', 'POST', `${HOME}/pods`, sent);
    expect(await create(pod('p', {}, {}))).toBe(403);
    expect(await create(pod('p', { annotations }, { nodeName: 'b' }))).toBe(403);
    const volumes = [{ name: 'v', secret: { secretName: 'other-env' } }];
    expect(await create(pod('p', { annotations }, { volumes }))).toBe(403);
    const { body } = await api.post('/api/v1/nodes', { metadata: { name: 'a' } });
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: body.metadata.uid, controller: true };
    const owned = (...ownerReferences: object[]) => create(pod('p', { annotations, ownerReferences }, {}));
    for (const wrong of [
      [],
      [owner, { ...owner, uid: 'u', controller: false }],
      [{ ...owner, uid: 'u' }],
      [{ ...owner, kind: 'ConfigMap' }],
      [{ ...owner, name: 'b' }],
      [{ ...owner, apiVersion: 'example.com/v1' }],
      [{ ...owner, controller: false }],
      [{ ...owner, blockOwnerDeletion: true }],
    ]) {
      expect(await owned(...wrong), JSON.stringify(wrong)).toBe(403);
    }
    for (const volume of [{ csi: { driver: 'd' } }, { glusterfs: { endpoints: 'e', path: 'p' } }]) {
      const sent = pod('p', { annotations, ownerReferences: [owner] }, { volumes: [{ name: 'v', ...volume }] });
      expect(await create(sent), JSON.stringify(volume)).toBe(403);
    }
    expect(await owned(owner)).toBe(201);
    expect(await evict('mine')).toBeLessThan(300);
  });

  test('does not choose the claims that its pods have, and so reads no others', async () => {
    await using api = await open();
    await place(api, 'mine', 'a');
    const path = `${HOME}/pods/mine/status`;
    const send = async (status: object) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const response = await api.server.send('PATCH', path, { user: nodeUser('a'), headers, body: { status } });
      return (JSON.parse(await textOf(response)) as { message?: string }).message;
    };
    expect(await send({ resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'others' }] })).toBe(
      'pods "mine" is forbidden: node "a" cannot update resource claim statues',
    );
    const mappings = [{ containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' }];
    expect(
      await send({ extendedResourceClaimStatus: { resourceClaimName: 'others', requestMappings: mappings } }),
    ).toBe('pods "mine" is forbidden: node "a" cannot update extended resource claim status');
    expect(await ask(api, 'a', 'GET', `/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/others`)).toBe(403);
  });

  test('tells of a claim how far its resizing is, and changes nothing else of it', async () => {
    await using api = await open();
    await place(api, 'mine', 'a');
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await api.post(`${HOME}/persistentvolumeclaims`, { metadata: { name: 'mine-claim' }, spec });
    const path = `${HOME}/persistentvolumeclaims/mine-claim/status`;
    const patch = (body: object) => ask(api, 'a', 'PATCH', path, body, 'merge-patch+json');
    for (const body of [
      { metadata: { finalizers: [] } },
      { metadata: { finalizers: ['example.com/keep'] } },
      { metadata: { labels: { a: 'b' } } },
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'u' }] } },
      { status: { phase: 'Lost' } },
      { status: { accessModes: ['ReadOnlyMany'] } },
    ]) {
      expect(await patch(body), JSON.stringify(body)).toBe(403);
    }
    const conditions = [{ type: 'FileSystemResizePending', status: 'True' }];
    expect(await patch({ status: { capacity: { storage: '1Gi' }, conditions } })).toBe(200);
    expect(await patch({ status: { allocatedResources: { storage: '1Gi' } } })).toBe(200);
  });

  test('asks for certificates in its own name alone', async () => {
    await using api = await open();
    const send = async (commonName: string, signer: string) => {
      const request = Buffer.from(await certificateRequest(commonName)).toString('base64');
      const usages = [signer === 'kubelet-serving' ? 'server auth' : 'client auth', 'digital signature'];
      return await ask(api, 'a', 'POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
        metadata: { generateName: 'x-' },
        spec: { request, signerName: `kubernetes.io/${signer}`, usages },
      });
    };
    for (const signer of ['kubelet-serving', 'kube-apiserver-client-kubelet']) {
      expect(await send('system:node:b', signer)).toBe(403);
      expect(await send('system:node:a', signer)).toBe(201);
    }
  });

  test('gets tokens for what the volumes of its pods have tokens for, and for nobody else', async () => {
    await using api = await open();
    const uid = await place(api, 'mine', 'a');
    await api.post(`${HOME}/serviceaccounts`, { metadata: { name: 'mine-account' } });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid };
    const token = async (...audiences: string[]): Promise<string> => {
      const answer = await api.post(
        `${HOME}/serviceaccounts/mine-account/token`,
        { spec: { audiences, boundObjectRef } },
        { user: nodeUser('a') },
      );
      return answer.status === 201 ? 'given' : String(answer.body.message).replace(/^.*is forbidden: /, '');
    };
    const claimMissing = 'persistentvolumeclaim "mine-claim" not found';
    expect(await token('other')).toBe(`error validating audience "other": ${claimMissing}`);
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' };
    await api.post(`${HOME}/persistentvolumeclaims`, { metadata: { name: 'mine-claim' }, spec });
    const csi = { driver: 'd.example.com', volumeHandle: 'h' };
    const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi };
    await api.post('/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec: volume });
    await api.post('/apis/storage.k8s.io/v1/csidrivers', {
      metadata: { name: 'd.example.com' },
      spec: { tokenRequests: [{ audience: 'storage' }] },
    });
    expect(await token()).toBe('given');
    expect(await token('vault')).toBe('given');
    expect(await token('storage')).toBe('given');
    expect(await token('vault', 'storage')).toBe('node may only request 0 or 1 audiences');
    expect(await token('other')).toBe(
      'audience "other" not found in pod spec volume, system:node:a is not authorized to request tokens for this audience',
    );
    const RBAC = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [''], verbs: ['request-serviceaccounts-token-audience'], resources: ['other'] }];
    await api.post(`${RBAC}/clusterroles`, { metadata: { name: 'audience' }, rules });
    await api.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'audience' },
      roleRef: { kind: 'ClusterRole', name: 'audience' },
      subjects: [{ kind: 'User', name: 'system:node:a' }],
    });
    expect(await token('other')).toBe('given');
  });

  test('gets tokens for its pods, each bound to the pod', async () => {
    await using api = await open();
    const uid = await place(api, 'mine', 'a');
    const others = await place(api, 'other', 'b');
    for (const name of ['mine-account', 'other-account'])
      await api.post(`${HOME}/serviceaccounts`, { metadata: { name } });
    const token = (account: string, boundObjectRef?: object) =>
      ask(api, 'a', 'POST', `${HOME}/serviceaccounts/${account}/token`, {
        spec: { audiences: [], ...(boundObjectRef && { boundObjectRef }) },
      });
    const bound = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid };
    expect(await token('mine-account', bound)).toBe(201);
    expect(await token('mine-account')).toBe(403);
    expect(await token('mine-account', { ...bound, uid: 'x' })).toBe(403);
    expect(await token('other-account', { ...bound, name: 'other', uid: others })).toBe(403);
  });
});

test('Without the mode, nodes have what roles give them', async () => {
  await using api = await openTestApi();
  await place(api, 'mine', 'a');
  expect(await ask(api, 'a', 'GET', `${HOME}/secrets/mine-env`)).toBe(403);
});
