import { describeFieldError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import { describe, expect, test } from 'vitest';
import { builtinGroups } from '../../discovery/index.ts';
import { loadRules } from '../index.ts';
import { loadAll } from '../testing/load-all.ts';
import { errorsIn } from '../testing/read-object.ts';
import { platformRules as loaders } from './index.ts';

type Fields = Record<string, unknown>;

const platformRules = await loadAll(loaders);

const nowMs = Date.parse('2024-01-02T00:00:00Z');

function objectOf(kind: string, fields: Fields) {
  const { metadata, ...rest } = fields;
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'a', namespace: 'n', creationTimestamp: '2024-01-01T00:00:00Z', ...(metadata as Fields) },
    ...deepCopy(rest),
  };
}

/** Versions of a definition, and what is shown of two that differ in subresources and columns alone. */
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const shownVersions = `[${[
  '"Subresources":{"Status":{},"Scale":null},"AdditionalPrinterColumns":null',
  '"Subresources":null,"AdditionalPrinterColumns":[{"Name":"A","Type":"date","Format":"","Description":"","Priority":0,"JSONPath":".a"}]',
].map(
  (own) =>
    `{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,${own},"SelectableFields":null}`,
)}]`;

/** What a create of these fields is answered with: the object's fields, or what is wrong, in order. */
function create(group: string, kind: string, fields: Fields): Fields | string[] {
  const rules = platformRules[group]![kind]!;
  const object = objectOf(kind, fields);
  rules.default?.(object);
  rules.prepareForCreate?.(object);
  const first = rules.validateFirst?.(object, undefined) ?? [];
  const errors = (first.length > 0 ? first : (rules.validate?.(object) ?? [])).map(describeFieldError);
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = object as Fields;
  return errors.length > 0 ? errors : rest;
}

/** What is wrong with a change from `before` to `after`. */
function update(group: string, kind: string, before: Fields, after: Fields): string[] {
  const rules = platformRules[group]![kind]!;
  const previous = objectOf(kind, before);
  rules.default?.(previous);
  rules.prepareForCreate?.(previous);
  const next = objectOf(kind, after);
  rules.default?.(next);
  rules.prepareForUpdate?.(next, previous);
  return errorsIn(rules.validateUpdate?.(next, previous) ?? []).map(describeFieldError);
}

function row(group: string, kind: string, fields: Fields): readonly unknown[] {
  return platformRules[group]![kind]!.printer!.row(objectOf(kind, fields), { nowMs });
}

describe('a create fills in', () => {
  const cases: [group: string, kind: string, fields: Fields, expected: Fields][] = [
    ['', 'Secret', { stringData: { k: 'two' }, data: { k: 'b25l' } }, { data: { k: 'dHdv' }, type: 'Opaque' }],
    ['', 'Namespace', {}, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }],
    [
      '',
      'Service',
      { spec: { ports: [{ port: 80 }] } },
      {
        spec: {
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
          sessionAffinity: 'None',
          type: 'ClusterIP',
          internalTrafficPolicy: 'Cluster',
          ipFamilyPolicy: 'SingleStack',
          ipFamilies: ['IPv4'],
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      '',
      'Service',
      { spec: { clusterIP: 'None' } },
      {
        spec: {
          clusterIP: 'None',
          clusterIPs: ['None'],
          sessionAffinity: 'None',
          type: 'ClusterIP',
          internalTrafficPolicy: 'Cluster',
          ipFamilyPolicy: 'RequireDualStack',
          ipFamilies: ['IPv4', 'IPv6'],
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      '',
      'LimitRange',
      { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
      {
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '2' },
              min: { memory: '1Mi' },
              default: { cpu: '2' },
              defaultRequest: { cpu: '2', memory: '1Mi' },
            },
          ],
        },
      },
    ],
    [
      '',
      'PersistentVolumeClaim',
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'ConfigMap', name: 'c' },
        },
      },
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeMode: 'Filesystem',
        },
        status: { phase: 'Pending' },
      },
    ],
    [
      'networking.k8s.io',
      'NetworkPolicy',
      { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
      {
        spec: {
          podSelector: {},
          egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }],
          policyTypes: ['Ingress', 'Egress'],
        },
      },
    ],
    [
      'rbac.authorization.k8s.io',
      'RoleBinding',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'ann' }] },
      {
        roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ],
  ];
  test.each(cases)('%s %s %j', (group, kind, fields, expected) => {
    expect(create(group, kind, fields)).toEqual(expected);
  });
});

describe('a create is refused', () => {
  const cases: [group: string, kind: string, fields: Fields, errors: string[]][] = [
    [
      '',
      'ConfigMap',
      { data: { x: '1' }, binaryData: { x: 'AA==' } },
      ['data[x]: Invalid value: "x": duplicate of key present in binaryData'],
    ],
    [
      '',
      'Secret',
      { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{' } },
      ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
    ],
    [
      '',
      'Service',
      { spec: { type: 'NodePort', clusterIP: 'None', ports: [{ port: 80 }] } },
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
    ],
    [
      '',
      'Service',
      {
        spec: {
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 80 },
          ],
        },
      },
      [
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      '',
      'Service',
      { spec: { ipFamilies: ['IPv6'], ports: [] } },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      '',
      'Event',
      { involvedObject: { namespace: 'elsewhere' } },
      ['involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace'],
    ],
    [
      'events.k8s.io',
      'Event',
      { regarding: { namespace: 'n' }, eventTime: null, type: 'Odd' },
      ['eventTime: Required value', 'type: Invalid value: "": has invalid value: Odd'],
    ],
    [
      '',
      'ResourceQuota',
      { spec: { hard: { pods: '500m' } } },
      ['spec.hard[pods]: Invalid value: "500m": must be an integer'],
    ],
    [
      '',
      'LimitRange',
      { spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }] } },
      [
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      ],
    ],
    [
      '',
      'PersistentVolume',
      { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, local: { path: '/x' } } },
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      'networking.k8s.io',
      'Ingress',
      { spec: {} },
      ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ],
    [
      'apiextensions.k8s.io',
      'CustomResourceDefinition',
      {
        metadata: { name: 'ts.b.c' },
        spec: {
          group: 'b.c',
          scope: 'Namespaced',
          names: { plural: 'ts', kind: 'T' },
          versions: [
            { ...version, subresources: { status: {} } },
            { ...version, additionalPrinterColumns: [{ name: 'A', type: 'date', jsonPath: '.a' }] },
          ],
        },
      },
      [
        `spec.versions: Invalid value: ${shownVersions}: must contain unique version names`,
        `spec.versions: Invalid value: ${shownVersions}: must have exactly one version marked as storage version`,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
      ],
    ],
    [
      'apiregistration.k8s.io',
      'APIService',
      { metadata: { name: 'v2.b' }, spec: { version: 'v1', group: 'b', groupPriorityMinimum: 1, versionPriority: 1 } },
      ['metadata.name: Invalid value: "v2.b": must be `spec.version+"."+spec.group`: "v1.b"'],
    ],
    [
      'apiregistration.k8s.io',
      'APIService',
      {
        metadata: { name: 'v1.b', generateName: 'v' },
        spec: { version: 'v1', group: 'b', groupPriorityMinimum: 1, versionPriority: 1 },
      },
      ['metadata.generateName: Invalid value: "v": must be `spec.version+"."+spec.group`: "v1.b"'],
    ],
    [
      'admissionregistration.k8s.io',
      'ValidatingAdmissionPolicyBinding',
      { spec: { policyName: 'p', validationActions: ['Deny', 'Deny'] } },
      ['spec.validationActions[1]: Duplicate value: "Deny"'],
    ],
    [
      'resource.k8s.io',
      'ResourceClaim',
      { spec: { devices: { requests: [{ name: 'b' }] } } },
      ['spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
    ],
  ];
  test.each(cases)('%s %s %j', (group, kind, fields, errors) => {
    expect(create(group, kind, fields)).toEqual(errors);
  });
});

describe('an update is refused', () => {
  const service = (spec: Fields) => ({ spec: { ports: [{ port: 80 }], ...spec } });
  const cases: [group: string, kind: string, before: Fields, after: Fields, errors: string[]][] = [
    [
      '',
      'ConfigMap',
      { data: { k: '1' }, immutable: true },
      { data: { k: '2' } },
      [
        'immutable: Forbidden: field is immutable when `immutable` is set',
        'data: Forbidden: field is immutable when `immutable` is set',
      ],
    ],
    ['', 'Secret', { type: 'a' }, { type: 'b' }, ['type: Invalid value: "b": field is immutable']],
    [
      '',
      'Service',
      service({ clusterIP: '10.0.0.5' }),
      service({ clusterIP: '10.0.0.6' }),
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.6"]: may not change once set'],
    ],
    [
      '',
      'Node',
      { spec: { providerID: 'x://1' } },
      { spec: { providerID: 'x://2' } },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    [
      '',
      'Node',
      {},
      { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'x'] } },
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        'spec.podCIDRs: Invalid value: ["10.1.0.0/24","x"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      '',
      'PersistentVolumeClaim',
      { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'a', resources: { requests: { storage: '1Gi' } } } },
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'b',
          resources: { requests: { storage: '1Gi' } },
          volumeName: 'v',
        },
      },
      [expect.stringMatching(/"VolumeName": "v",\n- "StorageClassName": "a",\n\+ "StorageClassName": "b",/)],
    ],
    [
      'rbac.authorization.k8s.io',
      'ClusterRoleBinding',
      { roleRef: { kind: 'ClusterRole', name: 'a' } },
      { roleRef: { kind: 'ClusterRole', name: 'b' } },
      [
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"b"}: cannot change roleRef',
      ],
    ],
    [
      'scheduling.k8s.io',
      'PriorityClass',
      { value: 1 },
      { value: 2 },
      ['value: Forbidden: may not be changed in an update.'],
    ],
  ];
  test.each(cases)('%s %s %j → %j', (group, kind, before, after, errors) => {
    expect(update(group, kind, before, after)).toEqual(errors);
  });
});

test('a service that changes its type gives up what only the former type had', () => {
  const rules = platformRules['']!.Service!;
  const ports = [{ port: 80, nodePort: 30081, protocol: 'TCP', targetPort: 80 }];
  const previous = objectOf('Service', { spec: { type: 'NodePort', ports, externalTrafficPolicy: 'Cluster' } });
  const next = objectOf('Service', { spec: { type: 'ClusterIP', ports, externalTrafficPolicy: 'Cluster' } });
  rules.default?.(next);
  rules.prepareForUpdate?.(next, previous);
  expect((next as Fields).spec).toMatchObject({ ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] });
  expect((next as Fields).spec).not.toHaveProperty('externalTrafficPolicy');
});

describe('rows of tables', () => {
  const cases: [group: string, kind: string, fields: Fields, cells: unknown[]][] = [
    ['', 'ConfigMap', { data: { a: '1' }, binaryData: { b: 'AA==' } }, ['a', 2, '24h']],
    [
      '',
      'Service',
      {
        spec: {
          type: 'LoadBalancer',
          clusterIPs: ['10.0.0.5'],
          ports: [{ port: 80, nodePort: 30081, protocol: 'TCP' }],
          selector: { a: 'b' },
        },
      },
      ['a', 'LoadBalancer', '10.0.0.5', '<pending>', '80:30081/TCP', '24h', 'a=b'],
    ],
    [
      '',
      'Endpoints',
      { subsets: [{ addresses: [{ ip: '192.0.2.2' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 53 }] }] },
      ['a', '192.0.2.2:80,[::1]:80,192.0.2.2:53 + 1 more...', '24h'],
    ],
    [
      '',
      'Event',
      {
        involvedObject: { kind: 'Pod', name: 'p' },
        message: ' it runs ',
        source: { component: 'kubelet', host: 'n1' },
      },
      ['<unknown>', '', '', 'pod/p', '', 'kubelet, n1', 'it runs', '<unknown>', 1, 'a'],
    ],
    ['', 'LimitRange', {}, ['a', '2024-01-01T00:00:00Z']],
    [
      'networking.k8s.io',
      'IPAddress',
      { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
      ['a', 'services/n/s', '24h'],
    ],
    [
      'discovery.k8s.io',
      'EndpointSlice',
      { addressType: 'IPv4', ports: null, endpoints: null },
      ['a', 'IPv4', '<unset>', '<unset>', '24h'],
    ],
  ];
  test.each(cases)('%s %s %j', (group, kind, fields, cells) => {
    expect(row(group, kind, fields)).toEqual(cells);
  });
});

describe('every kind of discovery', () => {
  const kinds = builtinGroups.flatMap(({ group, versions }) =>
    versions.flatMap(({ resources }) =>
      resources
        .filter(({ verbs }) => verbs.includes('list'))
        .map(({ responseKind, subresources }) => ({
          group,
          kind: responseKind.kind,
          hasStatus: subresources.some(({ subresource }) => subresource === 'status'),
        })),
    ),
  );

  test.each(kinds)(
    '$group $kind says which fields can be selected of an empty object',
    async ({ group, kind, hasStatus }) => {
      const rules = await loadRules({ group, kind }, { hasStatus });
      expect(() => rules.selectableFields?.({ apiVersion: '', kind, metadata: {} })).not.toThrow();
    },
  );

  const own = kinds.filter(({ group, kind }) => platformRules[group]?.[kind] !== undefined);
  test.each(own)('$group $kind has columns, and rules for its status if it has one', ({ group, kind, hasStatus }) => {
    const rules = platformRules[group]![kind]!;
    expect(rules.printer?.columns.length).toBeGreaterThan(1);
    expect(rules.subresources?.status !== undefined).toBe(hasStatus);
  });
});

describe('kinds that differ from the rest in how they are written', () => {
  const kindsWith = (has: (rules: (typeof platformRules)[string][string]) => boolean) =>
    Object.values(platformRules)
      .flatMap((kinds) => Object.entries(kinds))
      .filter(([, rules]) => has(rules))
      .map(([kind]) => kind)
      .sort();

  test('PUT creates', () => {
    expect(kindsWith((rules) => rules.createOnUpdate === true)).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Endpoints',
      'Event',
      'Event',
      'Lease',
      'LimitRange',
      'Role',
      'RoleBinding',
      'RuntimeClass',
      'Service',
    ]);
  });

  test('PUT needs a resourceVersion', () => {
    expect(kindsWith((rules) => rules.unconditionalUpdate === false)).toEqual([
      'APIService',
      'CSIDriver',
      'CSINode',
      'CSIStorageCapacity',
      'CustomResourceDefinition',
      'Lease',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'RuntimeClass',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
      'VolumeAttachment',
    ]);
  });

  test('DELETE answers with the object', () => {
    expect(kindsWith((rules) => rules.returnsDeletedObject === true)).toEqual([
      'CSIDriver',
      'CSINode',
      'DeviceClass',
      'Namespace',
      'PersistentVolume',
      'PersistentVolumeClaim',
      'ResourceClaim',
      'ResourceClaimTemplate',
      'ResourceQuota',
      'ResourceSlice',
      'Service',
      'ServiceAccount',
      'StorageClass',
      'VolumeAttachment',
      'VolumeAttributesClass',
    ]);
  });

  test('generation is kept', () => {
    expect(kindsWith((rules) => rules.tracksGeneration === true)).toEqual([
      'CustomResourceDefinition',
      'DeviceClass',
      'EndpointSlice',
      'FlowSchema',
      'Ingress',
      'IngressClass',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'NetworkPolicy',
      'PriorityClass',
      'PriorityLevelConfiguration',
      'ResourceSlice',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
    ]);
  });
});

test.each([0, -1])('a node is not made with a swap of %i bytes', (capacity) => {
  expect(create('', 'Node', { status: { nodeInfo: { swap: { capacity } } } })).toEqual([
    `metadata.nodeSwapStatus.capacity: Invalid value: ${capacity}: must be greater than zero`,
  ]);
});

test('a volume of its own is told little about a bad initiator, and shown that it has no capacity', () => {
  const iscsi = { targetPortal: 'p:1', iqn: 'x', lun: 0 };
  expect(create('', 'PersistentVolume', { spec: { accessModes: ['ReadWriteOnce'], iscsi } })).toEqual([
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: null: supported values: "storage"',
    'spec.iscsi.iqn: Invalid value: "x": must be valid format',
  ]);
});

test('a volume of its own is told of its secret before its initiator, and of its portal before both', () => {
  const iscsi = { targetPortal: 'p'.repeat(70), iqn: 'x', lun: 0, initiatorName: 'y', secretRef: {} };
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, iscsi };
  expect(create('', 'PersistentVolume', { spec })).toEqual([
    expect.stringMatching(/^spec\.iscsi\.targetportal: Invalid value: "p+": Total length of <volume name>/),
    'spec.iscsi.iqn: Invalid value: "x": must be valid format',
    'spec.iscsi.secretRef.name: Required value',
    'spec.iscsi.initiatorname: Invalid value: "y": must be valid format',
  ]);
});

test('amounts are rounded up to thousandths, wherever they stand', () => {
  const shown = (kind: string, fields: Fields, group = '') => {
    const object = objectOf(kind, fields);
    platformRules[group]![kind]!.default?.(object);
    return JSON.stringify(object).match(/"\d+[nmu]"/g);
  };
  const amounts = { storage: '1n' };
  expect(shown('PersistentVolume', { spec: { capacity: amounts } })).toEqual(['"1m"']);
  expect(shown('PersistentVolumeClaim', { spec: { resources: { requests: amounts } } })).toEqual(['"1m"']);
  expect(shown('LimitRange', { spec: { limits: [{ type: 'Pod', max: amounts }] } })).toEqual(['"1m"']);
  expect(shown('Node', { status: { capacity: amounts } })).toEqual(['"1m"', '"1m"']);
});

test('capacity that is not of storage is shown sorted', () => {
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { b: '1', a: '1500u' }, hostPath: { path: '/a' } };
  expect(create('', 'PersistentVolume', { spec })).toEqual([
    'spec.capacity: Unsupported value: {"a":"2m","b":"1"}: supported values: "storage"',
  ]);
});

test('a volume described where it is attached is not asked for the class of its attributes', () => {
  const inlineVolumeSpec = {
    accessModes: ['ReadWriteOnce'],
    volumeAttributesClassName: '',
    csi: { driver: 'd', volumeHandle: 'h' },
  };
  const spec = { attacher: 'a', nodeName: 'n', source: { inlineVolumeSpec } };
  expect(create('storage.k8s.io', 'VolumeAttachment', { spec })).toMatchObject({ spec: { attacher: 'a' } });
});

test('what is being deleted cannot be changed by a policy', () => {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'] }];
  const spec = { policyName: 'p', matchResources: { resourceRules } };
  expect(create('admissionregistration.k8s.io', 'MutatingAdmissionPolicyBinding', { spec })).toEqual([
    'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
  ]);
});

test('a volume described where it is attached gets the defaults of a volume', () => {
  const inlineVolumeSpec = { rbd: { image: 'i', monitors: ['m'] } };
  const rules = platformRules['storage.k8s.io']!.VolumeAttachment!;
  const object = objectOf('VolumeAttachment', { spec: { attacher: 'a', nodeName: 'n', source: { inlineVolumeSpec } } });
  rules.default?.(object);
  expect(object).toMatchObject({
    spec: { source: { inlineVolumeSpec: { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } } } },
  });
});

test('what a change of a volume was is shown as a difference', () => {
  const volume = (path: string) => ({
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path } },
  });
  const [refusal = ''] = update('', 'PersistentVolume', volume('/a'), volume('/b'));
  expect(refusal.split('\n').filter((line) => /^[-+]/.test(line))).toEqual(['-  "Path": "/a",', '+  "Path": "/b",']);
});

test('the secret that a volume may be given later is no difference', () => {
  const csi = { driver: 'd.example.com', volumeHandle: 'h' };
  const volume = (changed: object) => ({
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { ...csi, ...changed } },
  });
  const secret = { controllerExpandSecretRef: { name: 'n', namespace: 'm' } };
  const [refusal = ''] = update('', 'PersistentVolume', volume({}), volume({ ...secret, readOnly: true }));
  expect(refusal.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
    '-  "ReadOnly": false,',
    '+  "ReadOnly": true,',
  ]);
});

test('parameters of a class are shown sorted', () => {
  const storageClass = (parameters: object) => ({ provisioner: 'p', parameters });
  expect(update('storage.k8s.io', 'StorageClass', storageClass({}), storageClass({ b: '1', a: '2' }))).toEqual([
    'parameters: Invalid value: {"a":"2","b":"1"}: field is immutable',
  ]);
});

test('a binding shows how its parameters are selected as Go prints it', () => {
  const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] };
  const spec = { policyName: 'p', paramRef: { selector } };
  expect(row('admissionregistration.k8s.io', 'ValidatingAdmissionPolicyBinding', { spec })[2]).toBe(
    '&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
  );
});
