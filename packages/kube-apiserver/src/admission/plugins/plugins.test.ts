import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const PODS = '/api/v1/namespaces/default/pods';
const pod = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec: { containers: [{ name: 'app', image: 'app' }], ...spec },
});
const named = (apiVersion: string, kind: string, name: string, fields: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...fields,
});

/** What a write became, or why it was refused. */
async function outcome(
  api: TestApi,
  path: string,
  body: object,
): Promise<Record<string, unknown> & { message?: string }> {
  const { body: answer } = await api.post(path, body);
  return answer as never;
}

describe('ServiceAccount', () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';

  test('a pod runs as the default account and is given a token', async () => {
    await using api = await openTestApi({ disabledAdmission: [] });
    await api.post(accounts, named('v1', 'ServiceAccount', 'default', { imagePullSecrets: [{ name: 'pull' }] }));
    const { spec } = (await outcome(api, PODS, pod())) as { spec: Record<string, unknown> };
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'pull' }],
    });
    const [volume] = spec.volumes as { name: string }[];
    expect(volume!.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec.containers).toMatchObject([
      {
        volumeMounts: [
          { name: volume!.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
      },
    ]);
  });

  test('the pod or its account may decline the token', async () => {
    await using api = await openTestApi({ disabledAdmission: [] });
    await api.post(accounts, named('v1', 'ServiceAccount', 'default', { automountServiceAccountToken: false }));
    expect(await outcome(api, PODS, pod())).not.toHaveProperty('spec.volumes');
    const wanted = pod({ automountServiceAccountToken: true }, { name: 'wants' });
    expect(await outcome(api, PODS, wanted)).toHaveProperty('spec.volumes');
  });

  test('an account may name the secrets that its pods have, also for pulling images', async () => {
    await using api = await openTestApi({ disabledAdmission: [] });
    const metadata = { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } };
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata, imagePullSecrets: [{ name: 'ours' }] });
    const create = async (name: string) => {
      const spec = {
        serviceAccountName: 'strict',
        imagePullSecrets: [{ name }],
        containers: [{ name: 'c', image: 'i' }],
      };
      return (await api.post('/api/v1/namespaces/default/pods', { metadata: { name }, spec })).status;
    };
    expect([await create('ours'), await create('theirs')]).toEqual([201, 403]);
  });

  test('no way leads a pod to a secret that its account does not name', async () => {
    await using api = await openTestApi({ disabledAdmission: [] });
    const metadata = { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } };
    await api.post(accounts, { metadata, secrets: [{ name: 'ours' }] });
    const container = (more = {}) => ({ name: 'c', image: 'i', ...more });
    const ways: [string, (name: string) => object][] = [
      ['volume', (name) => ({ volumes: [{ name: 'v', secret: { secretName: name } }] })],
      ['env', (name) => ({ containers: [container({ env: [variable(name)] })] })],
      ['envFrom', (name) => ({ containers: [container({ envFrom: [{ secretRef: { name } }] })] })],
      ['init', (name) => ({ initContainers: [{ ...container({ envFrom: [{ secretRef: { name } }] }), name: 'i' }] })],
    ];
    const variable = (name: string) => ({ name: 'A', valueFrom: { secretKeyRef: { name, key: 'a' } } });
    for (const [way, spec] of ways) {
      for (const [name, status] of [['ours', 201] as const, ['theirs', 403] as const]) {
        const sent = { serviceAccountName: 'strict', containers: [container()], ...spec(name) };
        const answer = await api.post(PODS, { metadata: { name: `${way.toLowerCase()}-${name}` }, spec: sent });
        expect(answer.status, `${way} ${name}`).toBe(status);
      }
    }
    const add = (name: string, more: object) =>
      api.merge(`${PODS}/volume-ours/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ name, image: 'i', ...more }] },
      });
    expect(await add('a', { env: [variable('theirs')] })).toMatchObject({ status: 403 });
    expect(await add('a', { envFrom: [{ secretRef: { name: 'theirs' } }] })).toMatchObject({ status: 403 });
    expect(await add('a', { envFrom: [{ secretRef: { name: 'ours' } }] })).toMatchObject({ status: 200 });
  });

  test('an account that is not there is refused', async () => {
    await using api = await openTestApi({ disabledAdmission: [] });
    const { message } = await outcome(api, PODS, pod({ serviceAccountName: 'none' }));
    expect(message).toBe(
      'pods "web" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    );
    const unaskable = await outcome(api, PODS, pod({ serviceAccountName: '..' }));
    expect(unaskable.message).toMatch(/default\/\.\.: invalid resource name "\.\.": \[may not be '\.\.'\]$/);
  });
});

describe('Priority', () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const made = (name: string, value: number, fields = {}) =>
    named('scheduling.k8s.io/v1', 'PriorityClass', name, { value, ...fields });

  test('a pod has the number of its class, and no other', async () => {
    await using api = await openTestApi();
    await api.post(classes, made('high', 1000));
    const chosen = pod({ priorityClassName: 'high' });
    expect(await outcome(api, PODS, chosen)).toMatchObject({
      spec: { priority: 1000, preemptionPolicy: 'PreemptLowerPriority' },
    });
    const { message } = await outcome(api, PODS, pod({ priorityClassName: 'high', priority: 3 }, { name: 'b' }));
    expect(message).toContain('the integer value of priority (3) must not be provided in pod spec');
    expect((await outcome(api, PODS, pod({ priorityClassName: 'none' }, { name: 'c' }))).message).toContain(
      'no PriorityClass with name none was found',
    );
  });

  test('there is at most one default, which pods get at once', async () => {
    await using api = await openTestApi();
    expect(await outcome(api, PODS, pod())).toMatchObject({ spec: { priority: 0 } });
    await api.post(classes, made('usual', 7, { globalDefault: true }));
    expect(await outcome(api, PODS, pod({}, { name: 'b' }))).toMatchObject({
      spec: { priority: 7, priorityClassName: 'usual' },
    });
    const { message } = await outcome(api, classes, made('other', 8, { globalDefault: true }));
    expect(message).toContain('PriorityClass usual is already marked as default. Only one default can exist');
  });
});

test('what has no name yet is refused by what its name would begin with', async () => {
  await using api = await openTestApi();
  const unnamed = pod({ priorityClassName: 'none' }, { name: undefined, generateName: 'web-' });
  expect((await outcome(api, PODS, unnamed)).message).toBe(
    'pods "web-" is forbidden: no PriorityClass with name none was found',
  );
});

test('a pod tolerates unready nodes for five minutes unless it says how long', async () => {
  await using api = await openTestApi();
  const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 };
  const { spec } = (await outcome(api, PODS, pod({ tolerations: [own] }))) as { spec: { tolerations: object[] } };
  expect(spec.tolerations).toEqual([
    own,
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ]);
});

test('a pod of a runtime class costs what the class costs and goes where it runs', async () => {
  await using api = await openTestApi();
  const runtime = {
    handler: 'sandbox',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { box: 'yes' } },
  };
  await api.post('/apis/node.k8s.io/v1/runtimeclasses', named('node.k8s.io/v1', 'RuntimeClass', 'boxed', runtime));
  expect(await outcome(api, PODS, pod({ runtimeClassName: 'boxed' }))).toMatchObject({
    spec: { overhead: { cpu: '100m' }, nodeSelector: { box: 'yes' } },
  });
  const cases: [object, string][] = [
    [{ runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
    [{ runtimeClassName: '' }, 'resource name may not be empty'],
    [{ runtimeClassName: 'a/b' }, `invalid resource name "a/b": [may not contain '/']`],
    [
      { runtimeClassName: 'boxed', overhead: { cpu: '1' } },
      "Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      { runtimeClassName: 'boxed', nodeSelector: { box: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[box] = yes',
    ],
    [{ overhead: { cpu: '1' } }, 'Pod Overhead set without corresponding RuntimeClass defined Overhead'],
  ];
  for (const [spec, why] of cases) expect((await outcome(api, PODS, pod(spec, { name: 'x' }))).message).toContain(why);
});

test('claims and volumes get the default class and are protected while in use', async () => {
  await using api = await openTestApi();
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const storage = named('storage.k8s.io/v1', 'StorageClass', 'fast', { provisioner: 'x' }, { annotations });
  await api.post('/apis/storage.k8s.io/v1/storageclasses', storage);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
  expect(await outcome(api, claims, named('v1', 'PersistentVolumeClaim', 'a', { spec }))).toMatchObject({
    metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
    spec: { storageClassName: 'fast' },
  });
  const none = { ...spec, storageClassName: '' };
  expect(await outcome(api, claims, named('v1', 'PersistentVolumeClaim', 'b', { spec: none }))).toMatchObject({
    spec: { storageClassName: '' },
  });
});

test('a new node is not ready until somebody says so', async () => {
  await using api = await openTestApi();
  expect(await outcome(api, '/api/v1/nodes', named('v1', 'Node', 'n'))).toMatchObject({
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
  });
});

test('an ingress that names no class gets the default one', async () => {
  await using api = await openTestApi();
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  const classes = '/apis/networking.k8s.io/v1/ingressclasses';
  await api.post(
    classes,
    named('networking.k8s.io/v1', 'IngressClass', 'nginx', { spec: { controller: 'k.io/x' } }, { annotations }),
  );
  const spec = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } };
  const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  expect(await outcome(api, ingresses, named('networking.k8s.io/v1', 'Ingress', 'web', { spec }))).toMatchObject({
    spec: { ingressClassName: 'nginx' },
  });
});

describe('AlwaysPullImages', () => {
  const spec = {
    containers: [{ name: 'app', image: 'app:1', imagePullPolicy: 'IfNotPresent' }],
    initContainers: [{ name: 'first', image: 'first', imagePullPolicy: 'Never' }],
    volumes: [{ name: 'data', image: { reference: 'data:1', pullPolicy: 'Never' } }],
  };
  const pulls = (body: Record<string, unknown>) => {
    const { containers, initContainers, volumes } = body.spec as {
      containers: { imagePullPolicy: string }[];
      initContainers: { imagePullPolicy: string }[];
      volumes: { image: { pullPolicy: string } }[];
    };
    return [containers[0]!.imagePullPolicy, initContainers[0]!.imagePullPolicy, volumes[0]!.image.pullPolicy];
  };

  test('where it is asked for, every image of a pod is pulled anew', async () => {
    await using asked = await openTestApi({ enabledAdmission: ['AlwaysPullImages'] });
    expect(pulls(await outcome(asked, PODS, pod(spec)))).toEqual(['Always', 'Always', 'Always']);
    await using usual = await openTestApi();
    expect(pulls(await outcome(usual, PODS, pod(spec)))).toEqual(['IfNotPresent', 'Never', 'Never']);
  });
});
