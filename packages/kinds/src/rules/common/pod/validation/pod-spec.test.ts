import { FieldPath } from '@pintle/machinery/errors';
import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../../../generated/core/v1.ts';
import { defaultPodSpec } from '../defaults.ts';
import { validatePodSpec } from './pod-spec.ts';

const oneOnly = 'Forbidden: may not specify more than 1 volume type';
const app: Container = { name: 'app', image: 'x' };
const nameless: Container = { ...app, name: '' };

/** What is wrong with a Pod called `web`, as `field: words`, without the leading `spec.`. */
function faults(fields: object): string[] {
  const spec = { containers: [app], ...structuredClone(fields) } as PodSpec;
  defaultPodSpec(spec);
  const errors = validatePodSpec(spec, { isPod: true, metadata: { name: 'web' } }, FieldPath.of('spec'));
  return errors.map(({ field, body }) => `${field.replace(/^spec\./, '')}: ${body}`);
}

const ofContainer = (fields: object) => faults({ containers: [{ ...app, ...fields }] });

describe('volumes', () => {
  const volume = (fields: object) => faults({ volumes: [{ name: 'v', ...fields }] });
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const cases: [object, string[]][] = [
    [{ emptyDir: {} }, []],
    [
      { emptyDir: {}, secret: { secretName: 's' }, nfs: { server: 's', path: '/' } },
      [`volumes[0].secret: ${oneOnly}`, `volumes[0].nfs: ${oneOnly}`],
    ],
    [{ gcePersistentDisk: { pdName: '' } }, ['volumes[0].persistentDisk.pdName: Required value']],
    [
      { awsElasticBlockStore: { volumeID: 'v', partition: 256 } },
      ['volumes[0].awsElasticBlockStore.partition: Invalid value: 256: must be between 1 and 255, inclusive'],
    ],
    [
      { iscsi: { targetPortal: 'p', iqn: 'x', lun: 300 } },
      [
        'volumes[0].iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
        'volumes[0].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive',
      ],
    ],
    [{ csi: { driver: '' } }, ['volumes[0].csi.driver: Required value']],
    [{ csi: { driver: 'a'.repeat(64) } }, ['volumes[0].csi.driver: Too long: may not be more than 63 bytes']],
    [
      { fc: { lun: 1 } },
      ['volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
    ],
    [
      { flexVolume: { driver: 'd', options: { 'k8s.io/x': '1' } } },
      [
        'volumes[0].flexVolume.options[k8s.io/x]: Invalid value: "k8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
    [
      { gitRepo: { repository: '', directory: '../x' } },
      [
        'volumes[0].gitRepo.repository: Required value',
        'volumes[0].gitRepo.directory: Invalid value: "../x": must not contain \'..\'',
      ],
    ],
    [{ image: {} }, ['volumes[0].image.reference: Required value']],
    [{ ephemeral: {} }, ['volumes[0].ephemeral.volumeClaimTemplate: Required value']],
    [
      { ephemeral: { volumeClaimTemplate: { metadata: { name: 'n' }, spec: claim } } },
      ['volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set'],
    ],
    [
      {
        ephemeral: { volumeClaimTemplate: { spec: { ...claim, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] } } },
      },
      [
        'volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      ],
    ],
    [
      { downwardAPI: { items: [{ path: 'p' }] } },
      ['volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required'],
    ],
    [
      { downwardAPI: { items: [{ path: 'p', resourceFieldRef: { resource: 'limits.cpu' } }] } },
      ['volumes[0].downwardAPI.resourceFieldRef.containerName: Required value'],
    ],
    [
      { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'spec.nodeName' } }] } },
      [
        'volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      ],
    ],
    [{ downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: "metadata.labels['app']" } }] } }, []],
    [
      { hostPath: { path: '/x', type: 'Odd' } },
      [
        'volumes[0].hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
  ];
  test.each(cases)('%j', (fields, expected) => expect(volume(fields)).toEqual(expected));

  test('of its own are not claimed by name', () => {
    const volumes = [
      { name: 'own', ephemeral: { volumeClaimTemplate: { spec: claim } } },
      { name: 'v', persistentVolumeClaim: { claimName: 'web-own' } },
    ];
    expect(faults({ volumes })).toEqual([
      'volumes[1].persistentVolumeClaim.claimName: Invalid value: "web-own": must not reference a PVC that gets created for an ephemeral volume',
    ]);
  });

  test('that are wrong cannot be mounted', () => {
    const containers = [{ ...app, volumeMounts: [{ name: 'v', mountPath: '/v' }] }];
    expect(faults({ containers, volumes: [{ name: 'v', secret: {} }] })).toEqual([
      'volumes[0].secret.secretName: Required value',
      'containers[0].volumeMounts[0].name: Not found: "v"',
    ]);
  });
});

describe('containers', () => {
  const cases: [object, string[]][] = [
    [
      { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      [
        'containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      ],
    ],
    [
      { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] },
      ['containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used'],
    ],
    [
      { restartPolicy: 'Never', restartPolicyRules: [{ action: 'Odd' }] },
      [
        'containers[0].restartPolicyRules[0].action: Unsupported value: "Odd": supported values: "Restart", "RestartAllContainers"',
        'containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified',
      ],
    ],
    [
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } }] },
      [
        'containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    ],
    [
      { env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'K', volumeName: 'none', path: 'f' } } }] },
      ['containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "none"'],
    ],
    [
      { envFrom: [{ prefix: '=', configMapRef: { name: 'c' } }] },
      [
        'containers[0].envFrom[0].prefix: Invalid value: "=": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
      ],
    ],
    [
      { volumeDevices: [{ name: 'none', devicePath: '/dev/x' }] },
      ['containers[0].volumeDevices[0].name: Not found: "none"'],
    ],
    [
      { resources: { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } } },
      [
        'containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [
      { securityContext: { appArmorProfile: { type: 'Localhost' } } },
      [
        'containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
      ],
    ],
    [
      { securityContext: { procMount: 'Unmasked' } },
      [
        'containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      ],
    ],
    [
      { securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } },
      [
        'containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      ],
    ],
  ];
  test.each(cases)('%j', (fields, expected) => expect(ofContainer(fields)).toEqual(expected));
});

describe('the Pod itself', () => {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
  const node = (term: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  });
  const terms = 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]';
  const cases: [object, string[]][] = [
    [
      { topologySpreadConstraints: [spread, spread] },
      ['topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"'],
    ],
    [
      { topologySpreadConstraints: [{ ...spread, matchLabelKeys: ['a'] }] },
      ['topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set'],
    ],
    [
      node({ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }] }),
      [`${terms}.matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`],
    ],
    [
      node({ matchExpressions: [{ key: 'k', operator: 'Exists', values: ['x'] }] }),
      [
        `${terms}.matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    ],
    [
      {
        hostNetwork: true,
        securityContext: {
          sysctls: [
            { name: 'net.core.x', value: '1' },
            { name: 'net.core.x', value: '1' },
          ],
        },
      },
      [
        'securityContext.sysctls[0].name: Invalid value: "net.core.x": may not be specified when \'hostNetwork\' is true',
        'securityContext.sysctls[1].name: Duplicate value: "net.core.x"',
        'securityContext.sysctls[1].name: Invalid value: "net.core.x": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [{ hostUsers: false, hostIPC: true }, ['HostIPC: Forbidden: when `hostUsers` is false']],
    [
      { securityContext: { windowsOptions: { hostProcess: true } } },
      ['hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers'],
    ],
    [
      { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
      ['securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod'],
    ],
    [{ os: { name: 'plan9' } }, ['os: Unsupported value: "plan9": supported values: "linux", "windows"']],
    [
      { hostnameOverride: 'a', hostNetwork: true },
      ['hostnameOverride: Forbidden: may not be specified when hostNetwork is true'],
    ],
    [
      {
        resourceClaims: [
          { name: 'a', resourceClaimName: 'x' },
          { name: 'a', resourceClaimName: 'y' },
        ],
      },
      ['resourceClaims[1].name: Duplicate value: "a"'],
    ],
    [
      { resourceClaims: [{ name: 'a' }] },
      [
        'resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    ],
    [
      { resources: { requests: { 'ephemeral-storage': '1' } } },
      [
        'resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
      ],
    ],
    [
      { resources: { requests: { cpu: '1' } }, containers: [{ ...app, resources: { requests: { cpu: '2' } } }] },
      [
        'resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      ],
    ],
    [
      { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } },
      [
        'dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
      ],
    ],
    [{ initContainers: [{ ...app, name: 'app' }] }, ['initContainers[0].name: Duplicate value: "app"']],
    [
      { containers: [nameless, nameless], initContainers: [nameless] },
      [
        'containers[0].name: Required value',
        'containers[1].name: Required value',
        'containers[1].name: Duplicate value: ""',
        'initContainers[0].name: Required value',
        'initContainers[0].name: Duplicate value: ""',
      ],
    ],
    [
      { initContainers: [nameless, nameless] },
      ['initContainers[0].name: Required value', 'initContainers[1].name: Required value'],
    ],
  ];
  test.each(cases)('%j', (fields, expected) => expect(faults(fields)).toEqual(expected));
});

test('what a Pod costs on top is checked like the limits of a container', () => {
  expect(faults({ overhead: { 'hugepages-2Mi': '2Mi' } })).toEqual([
    'overhead: Forbidden: HugePages require cpu or memory',
  ]);
});

test('what is made from a template is not named by it; what may not be said is listed in a fixed order', () => {
  const metadata = { uid: 'u', finalizers: ['f'], name: 'n', creationTimestamp: '2024-01-01T00:00:00Z' };
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const found = faults({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata, spec } } }] });
  expect(found.map((text) => /metadata\.(\w+): Forbidden/.exec(text)?.[1])).toEqual([
    'name',
    'uID',
    'creationTimestamp',
    'finalizers',
  ]);
});
