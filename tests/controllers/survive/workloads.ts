import type { Client } from '@pintle/client';
import { ValidatingAdmissionPolicy } from '@pintle/kinds/admissionregistration/v1';
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@pintle/kinds/apps/v1';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { CronJob, Job } from '@pintle/kinds/batch/v1';
import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import {
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '@pintle/kinds/core/v1';
import { EndpointSlice } from '@pintle/kinds/discovery/v1';
import { ServiceCIDR } from '@pintle/kinds/networking/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { ClusterRole } from '@pintle/kinds/rbac/v1';
import { ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@pintle/kinds/resource/v1';
import { VolumeAttachment, VolumeAttributesClass } from '@pintle/kinds/storage/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Workload } from './world.ts';

const labels = { app: 'web' };
const podSpec = {
  containers: [
    { name: 'app', image: 'app:1', resources: { requests: { cpu: '100m' } }, ports: [{ containerPort: 80 }] },
  ],
};
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const ready = {
  phase: 'Running' as const,
  podIP: '10.64.0.9',
  conditions: [{ type: 'Ready', status: 'True' as const }],
};
const CLAIM = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };

/** Of one who calls herself jane. */
export const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkkvNHJvcTNLaDRPeEhyTncxeUV5VDNQY1lwZ3JlbTZRNWZQSzVGSUIycy81ZXBGaDJoc0c3MkVGSTNVCnAwQjB5T1ExUURCaU5UcW5lUGJ2VjJWaDAyU2dBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUFzQUdkbVVDdkgKelRTZ1VVVEdMNVBmUHRxS3lzMzFHNXRYVko1U09jN3JWQUlnYlpIQUNyN213VVB0cG05NHRiWHJXRFBRR3BCcApSR05hZlUzVkJoZ2JzTGc9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

const types = (...all: readonly unknown[]): readonly ResourceType[] => all as readonly ResourceType[];

async function isGone<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  namespace: string,
  name: string,
) {
  return (await client.find(type, { namespace, name })) === undefined;
}

async function addPod(
  client: Client,
  namespace: string,
  name: string,
  spec: object = {},
  status?: object,
): Promise<Pod> {
  const pod = await client.create(Pod, { metadata: { namespace, name, labels }, spec: { ...podSpec, ...spec } });
  if (status === undefined) return pod;
  return await client.patch(Pod, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

async function mark(client: Client, type: ResourceType, name: string, status: object): Promise<void> {
  await client.patch(type, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** The main work of each controller, by what people would call it. */
export const WORKLOADS: Readonly<Record<string, Workload>> = {
  // The first, for there is work in every namespace there is.
  'service account': {
    controllers: ['serviceaccount-controller', 'root-ca-certificate-publisher-controller'],
    kinds: types(ServiceAccount, ConfigMap),
    async begin(client, namespace) {
      await client.delete(ServiceAccount, { namespace, name: 'default' });
    },
    async isDone(client, namespace) {
      const published = await client.find(ConfigMap, { namespace, name: 'kube-root-ca.crt' });
      return published !== undefined && !(await isGone(client, ServiceAccount, namespace, 'default'));
    },
  },
  deployment: {
    controllers: ['deployment-controller'],
    beside: ['replicaset-controller', 'garbage-collector-controller', 'node-lifecycle-controller'],
    nodes: 'beside',
    kinds: types(Deployment, ReplicaSet, Pod),
    async begin(client, namespace) {
      const spec = { replicas: 2, revisionHistoryLimit: 0, selector, template };
      await client.create(Deployment, { metadata: { namespace, name: 'web' }, spec });
    },
    async isDone(client, namespace) {
      const { spec, status, metadata } = await client.get(Deployment, { namespace, name: 'web' });
      const isSettled =
        status?.observedGeneration === metadata.generation && status?.availableReplicas === 2 && status.replicas === 2;
      if (!isSettled || status?.updatedReplicas !== 2) return false;
      if (spec?.template.spec?.containers[0]?.image === 'app:2') {
        return (await client.list(ReplicaSet, { namespace })).items.length === 1;
      }
      const body = { spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } } };
      await client.patch(Deployment, { namespace, name: 'web' }, { type: 'strategic', body });
      return false;
    },
  },
  'replica-set': replicated(ReplicaSet as ResourceType<ReplicaSet>, 'replicaset-controller', selector),
  'replication-controller': replicated(
    ReplicationController as unknown as ResourceType<ReplicaSet>,
    'replicationcontroller-controller',
    labels,
  ),
  'stateful-set': {
    controllers: ['statefulset-controller'],
    kinds: types(StatefulSet, Pod, PersistentVolumeClaim, ControllerRevision),
    async begin(client, namespace) {
      const claim: PersistentVolumeClaim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: CLAIM,
      };
      const spec = {
        replicas: 2,
        podManagementPolicy: 'Parallel' as const,
        selector,
        template,
        volumeClaimTemplates: [claim],
      };
      await client.create(StatefulSet, { metadata: { namespace, name: 'db' }, spec });
    },
    async isDone(client, namespace) {
      const { status } = await client.get(StatefulSet, { namespace, name: 'db' });
      return status?.replicas === 2 && status.updatedReplicas === 2;
    },
  },
  'daemon-set': {
    controllers: ['daemonset-controller'],
    kinds: types(DaemonSet, Pod, ControllerRevision),
    async prepare(client) {
      for (const name of ['a', 'b']) {
        await client.create(Node, { metadata: { name } });
        await client.patch(Node, { name }, { type: 'merge', body: { spec: { taints: null } } });
      }
    },
    async begin(client, namespace) {
      await client.create(DaemonSet, { metadata: { namespace, name: 'agent' }, spec: { selector, template } });
    },
    async isDone(client, namespace) {
      const { status } = await client.get(DaemonSet, { namespace, name: 'agent' });
      return status?.currentNumberScheduled === 2 && status.updatedNumberScheduled === 2;
    },
  },
  job: {
    controllers: ['job-controller'],
    kinds: types(Job, Pod),
    async begin(client, namespace) {
      const once = { spec: { ...podSpec, restartPolicy: 'Never' as const } };
      await client.create(Job, {
        metadata: { namespace, name: 'sum' },
        spec: { completions: 3, parallelism: 2, template: once },
      });
    },
    async isDone(client, namespace) {
      const { items } = await client.list(Pod, { namespace });
      for (const { metadata, status } of items) {
        if (status?.phase !== 'Pending') continue;
        const hasFailed = items.some((other) => other.status?.phase === 'Failed');
        const body = { status: { phase: hasFailed ? ('Succeeded' as const) : ('Failed' as const) } };
        const ref = { namespace, name: metadata.name ?? '' };
        await client.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' });
        return false;
      }
      const { status } = await client.get(Job, { namespace, name: 'sum' });
      return status?.completionTime !== undefined && items.every(({ metadata }) => !metadata.finalizers);
    },
  },
  'cron-job': {
    controllers: ['cronjob-controller'],
    beside: ['job-controller', 'garbage-collector-controller'],
    kinds: types(CronJob),
    async begin(client, namespace) {
      const job = { spec: { completions: 0, template: { spec: { ...podSpec, restartPolicy: 'Never' as const } } } };
      const spec = { schedule: '* * * * *', successfulJobsHistoryLimit: 0, jobTemplate: job };
      await client.create(CronJob, { metadata: { namespace, name: 'tick' }, spec });
    },
    async isDone(client, namespace) {
      const { spec, status } = await client.get(CronJob, { namespace, name: 'tick' });
      const isOver = status?.lastSuccessfulTime !== undefined && status.active === undefined;
      if (isOver && !spec.suspend)
        await client.patch(CronJob, { namespace, name: 'tick' }, { type: 'merge', body: { spec: { suspend: true } } });
      return isOver && (await client.list(Job, { namespace })).items.length === 0;
    },
  },
  'ttl after finished': {
    controllers: ['ttl-after-finished-controller'],
    beside: ['job-controller', 'garbage-collector-controller'],
    kinds: types(Job),
    async begin(client, namespace) {
      const once = { spec: { ...podSpec, restartPolicy: 'Never' as const } };
      const spec = { completions: 0, ttlSecondsAfterFinished: 5, template: once };
      await client.create(Job, { metadata: { namespace, name: 'brief' }, spec });
    },
    isDone: (client, namespace) => isGone(client, Job, namespace, 'brief'),
  },
  namespace: {
    controllers: ['namespace-controller'],
    kinds: types(ConfigMap, Secret),
    async begin(client, namespace) {
      for (const name of ['a', 'b']) await client.create(ConfigMap, { metadata: { namespace, name } });
      await client.create(Secret, { metadata: { namespace, name: 's' } });
      await client.delete(Namespace, { name: namespace });
    },
    isDone: (client, namespace) => isGone(client, Namespace, '', namespace),
  },
  'garbage collector': {
    controllers: ['garbage-collector-controller'],
    kinds: types(ConfigMap),
    async begin(client, namespace) {
      const owner = async (name: string, propagationPolicy: 'Foreground' | 'Background' | 'Orphan'): Promise<void> => {
        const { metadata } = await client.create(ConfigMap, { metadata: { namespace, name } });
        const reference = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name,
          uid: metadata.uid ?? '',
          blockOwnerDeletion: true,
        };
        for (const child of ['a', 'b'])
          await client.create(ConfigMap, {
            metadata: { namespace, name: `${name}-${child}`, ownerReferences: [reference] },
          });
        await client.delete(ConfigMap, { namespace, name }, { propagationPolicy });
      };
      await owner('front', 'Foreground');
      await owner('back', 'Background');
      await owner('orphan', 'Orphan');
    },
    async isDone(client, namespace) {
      const { items } = await client.list(ConfigMap, { namespace });
      const isFree = items.every(({ metadata }) => !metadata.ownerReferences?.length);
      return isFree && items.length === 2;
    },
  },
  'token secret': {
    controllers: ['serviceaccount-token-controller'],
    kinds: types(Secret),
    async begin(client, namespace) {
      const type = 'kubernetes.io/service-account-token';
      const annotations = { 'kubernetes.io/service-account.name': 'default' };
      await client.create(Secret, { metadata: { namespace, name: 'token', annotations }, type });
    },
    async isDone(client, namespace) {
      return (await client.find(Secret, { namespace, name: 'token' }))?.data?.token !== undefined;
    },
  },
  endpoints: {
    controllers: ['endpoints-controller', 'endpointslice-controller'],
    kinds: types(Endpoints, EndpointSlice),
    async prepare(client) {
      await client.create(Node, { metadata: { name: 'behind' } });
    },
    async begin(client, namespace) {
      await addPod(client, namespace, 'a', { nodeName: 'behind' }, ready);
      await addPod(client, namespace, 'b', { nodeName: 'behind' }, { ...ready, podIP: '10.64.0.10' });
      await client.create(Service, {
        metadata: { namespace, name: 'web' },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
    },
    async isDone(client, namespace) {
      const old = await client.find(Endpoints, { namespace, name: 'web' });
      const { items } = await client.list(EndpointSlice, { namespace });
      return old?.subsets?.[0]?.addresses?.length === 2 && items[0]?.endpoints?.length === 2;
    },
  },
  'mirrored endpoints': {
    controllers: ['endpointslice-mirroring-controller'],
    kinds: types(EndpointSlice),
    async begin(client, namespace) {
      await client.create(Service, { metadata: { namespace, name: 'own' }, spec: { ports: [{ port: 80 }] } });
      const subsets = [{ addresses: [{ ip: '192.168.0.1' }], ports: [{ port: 80 }] }];
      await client.create(Endpoints, { metadata: { namespace, name: 'own' }, subsets });
    },
    isDone: async (client, namespace) => (await client.list(EndpointSlice, { namespace })).items.length === 1,
  },
  'disruption budget': {
    controllers: ['disruption-controller'],
    kinds: types(PodDisruptionBudget),
    async begin(client, namespace) {
      await addPod(client, namespace, 'a', {}, ready);
      await addPod(client, namespace, 'b', {}, ready);
      await client.create(PodDisruptionBudget, {
        metadata: { namespace, name: 'web' },
        spec: { minAvailable: 1, selector },
      });
    },
    async isDone(client, namespace) {
      const { status } = await client.get(PodDisruptionBudget, { namespace, name: 'web' });
      return status?.disruptionsAllowed === 1;
    },
  },
  autoscaler: {
    controllers: ['horizontal-pod-autoscaler-controller'],
    beside: ['deployment-controller', 'replicaset-controller', 'node-lifecycle-controller'],
    nodes: 'beside',
    kinds: types(HorizontalPodAutoscaler),
    async begin(client, namespace) {
      await client.create(Deployment, {
        metadata: { namespace, name: 'busy' },
        spec: { replicas: 1, selector, template },
      });
      const target = { type: 'Utilization' as const, averageUtilization: 50 };
      const metrics = [{ type: 'Resource' as const, resource: { name: 'cpu', target } }];
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' };
      await client.create(HorizontalPodAutoscaler, {
        metadata: { namespace, name: 'busy' },
        spec: { maxReplicas: 3, scaleTargetRef, metrics },
      });
    },
    async isDone(client, namespace) {
      const { status } = await client.get(HorizontalPodAutoscaler, { namespace, name: 'busy' });
      return status?.currentReplicas === 3 && status.desiredReplicas === 3;
    },
  },
  quota: {
    controllers: ['resourcequota-controller'],
    kinds: types(ResourceQuota),
    async begin(client, namespace) {
      await addPod(client, namespace, 'a');
      await client.create(ResourceQuota, {
        metadata: { namespace, name: 'q' },
        spec: { hard: { pods: '5', 'requests.cpu': '1' } },
      });
    },
    async isDone(client, namespace) {
      return (await client.get(ResourceQuota, { namespace, name: 'q' })).status?.used?.pods === '1';
    },
  },
  'aggregated role': {
    controllers: ['clusterrole-aggregation-controller'],
    kinds: types(ClusterRole),
    async begin(client, place) {
      const clusterRoleSelectors = [{ matchLabels: { part: place } }];
      await client.create(ClusterRole, {
        metadata: { name: `${place}.whole` },
        rules: [],
        aggregationRule: { clusterRoleSelectors },
      });
      const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
      await client.create(ClusterRole, { metadata: { name: `${place}.part`, labels: { part: place } }, rules });
    },
    isDone: async (client, place) => (await client.get(ClusterRole, { name: `${place}.whole` })).rules?.length === 1,
  },
  'certificate request': {
    controllers: ['certificatesigningrequest-signing-controller', 'certificatesigningrequest-cleaner-controller'],
    kinds: types(CertificateSigningRequest),
    async begin(client, place) {
      const spec = {
        request: REQUEST,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth' as const],
      };
      const made = await client.create(CertificateSigningRequest, { metadata: { name: place }, spec });
      const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Fine', message: '' }];
      await client.update(CertificateSigningRequest, { ...made, status: { conditions } }, { subresource: 'approval' });
    },
    isDone: async (client, place) =>
      (await client.get(CertificateSigningRequest, { name: place })).status?.certificate !== undefined,
  },
  'certificate of a node': {
    controllers: ['certificatesigningrequest-approving-controller'],
    kinds: types(CertificateSigningRequest),
    async begin(client, place) {
      const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
      const usages = ['digital signature' as const, 'client auth' as const];
      await client.create(CertificateSigningRequest, {
        metadata: { name: place },
        spec: { request: REQUEST, signerName, usages },
      });
    },
    isDone: async (client, place) =>
      (await client.get(CertificateSigningRequest, { name: place })).status?.conditions?.length === 1,
  },
  'token to join with': {
    controllers: ['token-cleaner-controller'],
    kinds: types(Secret),
    async begin(client, name) {
      const data = { expiration: Buffer.from('2020-01-01T00:00:00Z').toString('base64') };
      const type = 'bootstrap.kubernetes.io/token';
      await client.create(Secret, { metadata: { namespace: 'kube-system', name }, type, data });
    },
    isDone: (client, name) => isGone(client, Secret, 'kube-system', name),
  },
  'unused token': {
    controllers: ['legacy-serviceaccount-token-cleaner-controller'],
    kinds: types(Secret),
    async prepare(client) {
      const ref = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
      const data = { since: '2020-01-01' };
      if (await isGone(client, ConfigMap, ref.namespace, ref.name))
        await client.create(ConfigMap, { metadata: ref, data });
      else await client.patch(ConfigMap, ref, { type: 'merge', body: { data } });
    },
    async begin(client, namespace) {
      const secrets = [{ name: 'unused' }, { name: 'invalid' }];
      await client.patch(ServiceAccount, { namespace, name: 'default' }, { type: 'merge', body: { secrets } });
      const annotations = { 'kubernetes.io/service-account.name': 'default' };
      const type = 'kubernetes.io/service-account-token';
      await client.create(Secret, { metadata: { namespace, name: 'unused', annotations }, type });
      const labels = { 'kubernetes.io/legacy-token-invalid-since': '2021-01-01' };
      await client.create(Secret, { metadata: { namespace, name: 'invalid', annotations, labels }, type });
    },
    async isDone(client, namespace) {
      const { metadata } = await client.get(Secret, { namespace, name: 'unused' });
      return metadata.labels !== undefined && (await isGone(client, Secret, namespace, 'invalid'));
    },
  },
  volume: {
    controllers: ['persistentvolume-binder-controller', 'persistentvolume-protection-controller'],
    kinds: types(PersistentVolume, PersistentVolumeClaim),
    async begin(client, place) {
      const common = { accessModes: ['ReadWriteOnce' as const], storageClassName: place };
      const spec = {
        ...common,
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x' },
        persistentVolumeReclaimPolicy: 'Retain' as const,
      };
      await client.create(PersistentVolume, { metadata: { name: `${place}.disk` }, spec });
      await client.create(PersistentVolumeClaim, {
        metadata: { namespace: place, name: 'data' },
        spec: { ...CLAIM, ...common },
      });
    },
    async isDone(client, place) {
      const { status } = await client.get(PersistentVolumeClaim, { namespace: place, name: 'data' });
      return (
        status?.phase === 'Bound' &&
        (await client.get(PersistentVolume, { name: `${place}.disk` })).status?.phase === 'Bound'
      );
    },
  },
  'claim in use': {
    controllers: ['persistentvolumeclaim-protection-controller', 'ephemeral-volume-controller'],
    kinds: types(PersistentVolumeClaim),
    async begin(client, namespace) {
      const ephemeral = { volumeClaimTemplate: { spec: CLAIM } };
      await addPod(client, namespace, 'user', { volumes: [{ name: 'scratch', ephemeral }] });
      await client.create(PersistentVolumeClaim, { metadata: { namespace, name: 'data' }, spec: CLAIM });
      await client.delete(PersistentVolumeClaim, { namespace, name: 'data' });
    },
    async isDone(client, namespace) {
      const scratch = await client.find(PersistentVolumeClaim, { namespace, name: 'user-scratch' });
      return scratch !== undefined && (await isGone(client, PersistentVolumeClaim, namespace, 'data'));
    },
  },
  'claim from a template': {
    controllers: ['resourceclaim-controller'],
    kinds: types(ResourceClaim),
    async begin(client, namespace) {
      const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu.example.com' } }] };
      await client.create(ResourceClaimTemplate, { metadata: { namespace, name: 'gpu' }, spec: { spec: { devices } } });
      const resourceClaims = [{ name: 'a', resourceClaimTemplateName: 'gpu' }];
      await addPod(client, namespace, 'user', { resourceClaims });
    },
    async isDone(client, namespace) {
      const { status } = await client.get(Pod, { namespace, name: 'user' });
      const { items } = await client.list(ResourceClaim, { namespace });
      return items.length === 1 && status?.resourceClaimStatuses?.[0]?.resourceClaimName === items[0]!.metadata.name;
    },
  },
  'pod on a device that is tainted': {
    controllers: ['device-taint-eviction-controller'],
    kinds: types(Pod),
    async begin(client, namespace) {
      const taints = [{ key: 'k', effect: 'NoExecute' as const }];
      const pool = { name: namespace, generation: 1, resourceSliceCount: 1 };
      await client.create(ResourceSlice, {
        metadata: { name: namespace },
        spec: { driver: 'd.example.com', pool, allNodes: true, devices: [{ name: 'x', taints }] },
      });
      const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu.example.com' } }] };
      const claim = await client.create(ResourceClaim, { metadata: { namespace, name: 'gpu' }, spec: { devices } });
      await addPod(client, namespace, 'user', {
        nodeName: 'n',
        resourceClaims: [{ name: 'a', resourceClaimName: 'gpu' }],
      });
      const { uid } = (await client.get(Pod, { namespace, name: 'user' })).metadata;
      const results = [{ request: 'r', driver: 'd.example.com', pool: namespace, device: 'x' }];
      const reservedFor = [{ resource: 'pods', name: 'user', uid: uid! }];
      const status = { allocation: { devices: { results } }, reservedFor };
      await client.update(ResourceClaim, { ...claim, status }, { subresource: 'status' });
    },
    async isDone(client, namespace) {
      const pod = await client.find(Pod, { namespace, name: 'user' });
      return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
    },
  },
  'pod with a volume to attach': {
    controllers: ['persistentvolume-attach-detach-controller'],
    kinds: types(Node),
    async begin(client, namespace) {
      const name = `${namespace}.n`;
      const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
      await client.create(Node, { metadata: { name, annotations } });
      const volumeName = `${namespace}.disk`;
      const claim = await client.create(PersistentVolumeClaim, {
        metadata: { namespace, name: 'data' },
        spec: { ...CLAIM, volumeName },
      });
      await client.create(PersistentVolume, {
        metadata: { name: volumeName },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'd.example.com', volumeHandle: 'h' },
          claimRef: { namespace, name: 'data', uid: claim.metadata.uid! },
        },
      });
      const status = { phase: 'Bound' as const };
      await client.update(PersistentVolumeClaim, { ...claim, status }, { subresource: 'status' });
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
      await addPod(client, namespace, 'user', { nodeName: name, volumes });
    },
    async isDone(client, namespace) {
      const node = await client.get(Node, { name: `${namespace}.n` });
      const { items } = await client.list(VolumeAttachment);
      const attachment = items.find(({ spec }) => spec.nodeName === node.metadata.name);
      if (await isGone(client, Pod, namespace, 'user')) return attachment === undefined;
      if (node.status?.volumesAttached)
        await client.delete(Pod, { namespace, name: 'user' }, { gracePeriodSeconds: 0 });
      else if (attachment !== undefined && !attachment.status?.attached)
        await client.update(VolumeAttachment, { ...attachment, status: { attached: true } }, { subresource: 'status' });
      return false;
    },
  },
  'class of attributes': {
    controllers: ['volumeattributesclass-protection-controller'],
    kinds: types(VolumeAttributesClass),
    async begin(client, place) {
      await client.create(VolumeAttributesClass, {
        metadata: { name: place },
        driverName: 'd.example.com',
        parameters: { a: 'b' },
      });
      await client.create(VolumeAttributesClass, {
        metadata: { name: `${place}.gone` },
        driverName: 'd.example.com',
        parameters: { a: 'b' },
      });
      await client.delete(VolumeAttributesClass, { name: `${place}.gone` });
    },
    async isDone(client, place) {
      const { metadata } = await client.get(VolumeAttributesClass, { name: place });
      return metadata.finalizers?.length === 1 && (await isGone(client, VolumeAttributesClass, '', `${place}.gone`));
    },
  },
  'silent node': {
    controllers: ['node-lifecycle-controller', 'taint-eviction-controller'],
    nodes: 'beside',
    kinds: types(Node, Pod),
    async begin(client, place) {
      // Where most nodes are silent none is given up.
      for (const { metadata } of (await client.list(Node)).items)
        if (!metadata.name?.startsWith('node-')) await client.delete(Node, { name: metadata.name ?? '' });
      await client.create(Node, { metadata: { name: place } });
      await mark(client, Node, place, {
        conditions: [{ type: 'Ready', status: 'False', lastHeartbeatTime: '2030-01-01T00:00:00Z' }],
      });
      const tolerating = (seconds: object) =>
        ['not-ready', 'unreachable'].map((key) => ({
          key: `node.kubernetes.io/${key}`,
          effect: 'NoExecute',
          ...seconds,
        }));
      const exists = { operator: 'Exists' as const };
      await addPod(
        client,
        place,
        'impatient',
        { nodeName: place, tolerations: tolerating({ ...exists, tolerationSeconds: 5 }) },
        ready,
      );
      await addPod(client, place, 'patient', { nodeName: place, tolerations: tolerating(exists) }, ready);
    },
    async isDone(client, place) {
      const { spec } = await client.get(Node, { name: place });
      const impatient = await client.find(Pod, { namespace: place, name: 'impatient' });
      const isLeaving = impatient === undefined || impatient.metadata.deletionTimestamp !== undefined;
      return isLeaving && (spec?.taints?.length ?? 0) >= 2;
    },
  },
  'time a node may keep what it read': {
    controllers: ['ttl-controller'],
    kinds: types(Node),
    async begin(client, name) {
      await client.create(Node, { metadata: { name } });
    },
    isDone: async (client, name) => (await client.get(Node, { name })).metadata.annotations !== undefined,
  },
  'pod of a lost node': {
    controllers: ['pod-garbage-collector-controller'],
    kinds: types(Pod),
    async begin(client, place) {
      await addPod(client, place, 'lost', { nodeName: `${place}.never` }, ready);
    },
    isDone: (client, place) => isGone(client, Pod, place, 'lost'),
  },
  policy: {
    controllers: ['validatingadmissionpolicy-status-controller'],
    kinds: types(ValidatingAdmissionPolicy),
    async begin(client, place) {
      const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE' as const] };
      const spec = {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'object.spec.nope == 1' }],
      };
      await client.create(ValidatingAdmissionPolicy, { metadata: { name: place }, spec });
    },
    isDone: async (client, place) =>
      (await client.get(ValidatingAdmissionPolicy, { name: place })).status?.typeChecking !== undefined,
  },
  'range of service addresses': {
    controllers: ['service-cidr-controller'],
    kinds: types(ServiceCIDR),
    async begin(client, place) {
      const number = Number(/\d+$/.exec(place)?.[0]);
      await client.create(ServiceCIDR, { metadata: { name: place }, spec: { cidrs: [`10.9.${number}.0/24`] } });
    },
    isDone: async (client, place) => (await client.get(ServiceCIDR, { name: place })).status?.conditions !== undefined,
  },
  'scheduler and kubelet': {
    controllers: [],
    beside: ['node-lifecycle-controller'],
    nodes: 'killed',
    kinds: types(Pod),
    async begin(client, namespace) {
      await addPod(client, namespace, 'runs');
      await addPod(client, namespace, 'ends', { restartPolicy: 'Never', activeDeadlineSeconds: 5 });
      await addPod(client, namespace, 'goes');
    },
    async isDone(client, namespace) {
      const goes = await client.find(Pod, { namespace, name: 'goes' });
      if (goes?.status?.phase === 'Running' && !goes.metadata.deletionTimestamp)
        await client.delete(Pod, { namespace, name: 'goes' });
      const phase = async (name: string) => (await client.get(Pod, { namespace, name })).status?.phase;
      return goes === undefined && (await phase('runs')) === 'Running' && (await phase('ends')) === 'Failed';
    },
  },
};

/** A set that grows to three and shrinks to one. */
function replicated(type: ResourceType<ReplicaSet>, controller: string, selects: object): Workload {
  const ref = (namespace: string) => ({ namespace, name: 'web' });
  return {
    controllers: [controller],
    kinds: types(type, Pod),
    async begin(client, namespace) {
      const spec = { replicas: 3, selector: selects, template } as NonNullable<ReplicaSet['spec']>;
      await client.create(type, { metadata: ref(namespace), spec });
    },
    async isDone(client, namespace) {
      const { spec, status } = await client.get(type, ref(namespace));
      if (spec?.replicas === 3 && status?.replicas === 3)
        await client.patch(type, ref(namespace), { type: 'merge', body: { spec: { replicas: 1 } } });
      return spec?.replicas === 1 && status?.replicas === 1;
    },
  };
}
