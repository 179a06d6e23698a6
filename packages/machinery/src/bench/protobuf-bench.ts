import type { JsonObject } from '../json/index.ts';
import type { ProtobufTable } from '../protobuf/index.ts';
import { decodeEnvelope, decodeObject, encodeObject } from '../protobuf/index.ts';

const ROUND_MS = 300;
const ROUNDS = 5;

/** Compares protobuf with `JSON.parse` and `JSON.stringify` of the same pod; the MB are those of the JSON in both cases. */
export async function bench(print: (line: string) => void): Promise<void> {
  const text = JSON.stringify(makePod());
  const pod = JSON.parse(text) as JsonObject;
  const bytes = encodeObject(table, 'bench.Pod', pod);
  print(`a pod: ${text.length} bytes of JSON, ${bytes.length} of protobuf`);

  const parsed = measure(() => JSON.parse(text));
  const decoded = measure(() => decodeObject(table, 'bench.Pod', decodeEnvelope(bytes)));
  print(describe('decode', decoded, parsed, text.length));
  const printed = measure(() => JSON.stringify(pod));
  const encoded = measure(() => encodeObject(table, 'bench.Pod', pod));
  print(describe('encode', encoded, printed, text.length));
}

function describe(name: string, ours: number, native: number, size: number): string {
  const rate = (perSecond: number) => `${((perSecond * size) / 1e6).toFixed(0)} MB/s`;
  return `${name}: ${rate(ours)}, JSON ${rate(native)}, share ${(ours / native).toFixed(2)}`;
}

/** Returns calls per second: the best of a few rounds, since a busy machine only slows things down. */
function measure(call: () => unknown): number {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let calls = 0;
    while (performance.now() - start < ROUND_MS) {
      for (let i = 0; i < 50; i++) call();
      calls += 50;
    }
    best = Math.max(best, (calls * 1000) / (performance.now() - start));
  }
  return best;
}

/** The fields of a pod that the object below needs; the whole table is in @pintle/kinds, which machinery cannot import. */
const table: ProtobufTable = {
  'bench.Pod': 'struct|1 metadata pe ObjectMeta|2 spec pe PodSpec|3 status pe PodStatus',
  'bench.ObjectMeta':
    'struct|1 name po string|2 generateName po string|3 namespace po string|4 selfLink po string|5 uid po string|6 resourceVersion po string|7 generation po int64|8 creationTimestamp po Time|11 labels mo string|12 annotations mo string|13 ownerReferences lo OwnerReference|14 finalizers lo string|17 managedFields lo ManagedFieldsEntry',
  'bench.OwnerReference':
    'struct|5 apiVersion pe string|1 kind pe string|3 name pe string|4 uid pe string|6 controller oo bool|7 blockOwnerDeletion oo bool',
  'bench.ManagedFieldsEntry':
    'struct|1 manager po string|2 operation po string|3 apiVersion po string|4 time oo Time|6 fieldsType po string|7 fieldsV1 oo FieldsV1|8 subresource po string',
  'bench.PodSpec':
    'struct|2 containers le Container|3 restartPolicy po string|4 terminationGracePeriodSeconds oo int64|6 dnsPolicy po string|7 nodeSelector mo string|8 serviceAccountName po string|10 nodeName po string|11 hostNetwork po bool|12 hostPID po bool|13 hostIPC po bool|16 hostname po string|17 subdomain po string|19 schedulerName po string|22 tolerations lo Toleration|25 priority oo int32',
  'bench.Toleration':
    'struct|1 key po string|2 operator po string|3 value po string|4 effect po string|5 tolerationSeconds oo int64',
  'bench.Container':
    'struct|1 name pe string|2 image po string|3 command lo string|4 args lo string|5 workingDir po string|6 ports lo ContainerPort|7 env lo EnvVar|8 resources pe Resources|9 volumeMounts lo VolumeMount|13 terminationMessagePath po string|20 terminationMessagePolicy po string|14 imagePullPolicy po string|16 stdin po bool|17 stdinOnce po bool|18 tty po bool',
  'bench.ContainerPort':
    'struct|1 name po string|2 hostPort po int32|3 containerPort pe int32|4 protocol po string|5 hostIP po string',
  'bench.EnvVar': 'struct|1 name pe string|2 value po string',
  'bench.Resources': 'struct|1 limits mo Quantity|2 requests mo Quantity',
  'bench.VolumeMount':
    'struct|1 name pe string|2 readOnly po bool|3 mountPath pe string|4 subPath po string|6 subPathExpr po string',
  'bench.PodStatus':
    'struct|1 phase po string|2 conditions lo Condition|3 message po string|4 reason po string|5 hostIP po string|6 podIP po string|7 startTime oo Time|9 qosClass po string',
  'bench.Condition':
    'struct|1 type pe string|2 status pe string|3 lastProbeTime pe Time|4 lastTransitionTime pe Time|5 reason po string|6 message po string',
  'bench.Quantity': 'quantity|1 string pe string',
  'bench.FieldsV1': 'json|1 raw pe json',
  'bench.Time': 'time|1 seconds pe int64|2 nanos pe int32',
};

function makePod(): object {
  const time = '2026-03-01T12:00:00Z';
  const labels = {
    'app.kubernetes.io/name': 'web',
    'app.kubernetes.io/instance': 'blue',
    'pod-template-hash': '7f9c6d',
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'web-7f9c6d-x2x9k',
      generateName: 'web-7f9c6d-',
      namespace: 'default',
      uid: '4f0c8a54-0a3c-4c57-9d3e-1f6a6a0b9a11',
      resourceVersion: '184467',
      creationTimestamp: time,
      labels,
      annotations: { 'example.com/checksum': 'c0ffee'.repeat(10) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-7f9c6d',
          uid: '6d8a4a8e-5f31-4a15-a2c7-9e2b6b1f0c42',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      containers: ['web', 'sidecar'].map((name) => ({
        name,
        image: `registry.example.com/team/${name}:1.27.3`,
        args: ['--listen=:8080', '--log-level=info'],
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: Array.from({ length: 8 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of setting ${i}` })),
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        volumeMounts: [{ name: 'config', readOnly: true, mountPath: '/etc/config' }],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: 'node-17',
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      hostIP: '10.0.0.17',
      podIP: '10.244.1.9',
      startTime: time,
      qosClass: 'Burstable',
    },
  };
}
