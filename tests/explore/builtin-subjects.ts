import { addBuiltinControllers, type BuiltinControllerOptions } from '@pintle/controllers';
import { ValidatingAdmissionPolicy } from '@pintle/kinds/admissionregistration/v1';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import {
  Endpoints,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Secret,
  Service,
  ServiceAccount,
} from '@pintle/kinds/core/v1';
import { ServiceCIDR } from '@pintle/kinds/networking/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { ClusterRole } from '@pintle/kinds/rbac/v1';
import { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import { StorageClass, VolumeAttributesClass } from '@pintle/kinds/storage/v1';
import type { ExploreOptions, Scenario } from '@pintle/testing/explore';

const namespace = 'default';
const containers = [{ name: 'web', image: 'web' }];
const labels = { app: 'web' };

/** Controllers of Kubernetes that need no nodes, each with a scenario that creates, changes, deletes and creates again. */
export const builtinSubjects: Readonly<Record<string, ExploreOptions>> = {
  'aggregated roles': subject(['clusterrole-aggregation-controller'], async ({ client, settle }) => {
    const part = { name: 'part' };
    const clusterRoleSelectors = [{ matchLabels: { part: 'true' } }];
    await client.create(ClusterRole, { metadata: { name: 'whole' }, aggregationRule: { clusterRoleSelectors } });
    await settle();
    for (let round = 0; round < 2; round++) {
      const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
      await client.create(ClusterRole, { metadata: { ...part, labels: { part: 'true' } }, rules });
      await settle();
      await client.delete(ClusterRole, part);
      await settle();
    }
  }),
  'disruption budgets': subject(['disruption-controller'], async ({ client, settle }) => {
    const budget = { namespace, name: 'web' };
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    await client.create(PodDisruptionBudget, { metadata: budget, spec });
    await settle();
    await createPod(client, 'a');
    await settle();
    await client.patch(PodDisruptionBudget, budget, { type: 'merge', body: { spec: { minAvailable: 0 } } });
    await settle();
    await client.delete(Pod, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
    await settle();
  }),
  'mirrored endpoints': subject(['endpointslice-mirroring-controller'], async ({ client, settle }) => {
    const web = { namespace, name: 'web' };
    await client.create(Service, { metadata: web, spec: { ports: [{ port: 80 }] } });
    for (let round = 0; round < 2; round++) {
      const subsets = [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }];
      await client.create(Endpoints, { metadata: web, subsets });
      await settle();
      const more = [{ addresses: [{ ip: '10.1.2.3' }, { ip: '10.1.2.4' }], ports: [{ port: 80 }] }];
      await client.patch(Endpoints, web, { type: 'merge', body: { subsets: more } });
      await settle();
      await client.delete(Endpoints, web);
      await settle();
    }
  }),
  'replication controllers': subject(['replicationcontroller-controller'], async ({ client, settle }) => {
    const web = { namespace, name: 'web' };
    const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } };
    await client.create(ReplicationController, { metadata: web, spec: { replicas: 2, selector: labels, template } });
    await settle();
    await client.patch(ReplicationController, web, { type: 'merge', body: { spec: { replicas: 1 } } });
    await settle();
    await client.patch(ReplicationController, web, { type: 'merge', body: { spec: { replicas: 2 } } });
    await settle();
    await client.delete(ReplicationController, web, { propagationPolicy: 'Background' });
    await settle();
  }),
  'ephemeral volumes': subject(['ephemeral-volume-controller'], async ({ client, settle }) => {
    const volumeClaimTemplate = { spec: claimSpec() };
    const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate } }];
    for (let round = 0; round < 2; round++) {
      await createPod(client, 'a', { volumes });
      await settle();
      await client.delete(Pod, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
      await settle();
    }
  }),
  'bound volumes': subject(['persistentvolume-binder-controller'], async ({ client, settle }) => {
    const data = { namespace, name: 'data' };
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce' as const],
      hostPath: { path: '/data' },
      persistentVolumeReclaimPolicy: 'Retain' as const,
    };
    await client.create(PersistentVolume, { metadata: { name: 'one' }, spec });
    await settle();
    await client.create(PersistentVolumeClaim, { metadata: data, spec: { ...claimSpec(), storageClassName: '' } });
    await settle();
    await client.delete(PersistentVolumeClaim, data);
    await settle();
    await client.create(PersistentVolume, { metadata: { name: 'two' }, spec });
    await client.create(PersistentVolumeClaim, { metadata: data, spec: { ...claimSpec(), storageClassName: '' } });
    await settle();
  }),
  'protected volumes': subject(['persistentvolume-protection-controller'], async ({ client, settle }) => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce' as const], hostPath: { path: '/data' } };
    for (let round = 0; round < 2; round++) {
      await client.create(PersistentVolume, { metadata: { name: 'one' }, spec });
      await settle();
      await client.delete(PersistentVolume, { name: 'one' });
      await settle();
    }
  }),
  'expanded volumes': subject(['persistentvolume-expander-controller'], async ({ client, settle }) => {
    const data = { namespace, name: 'data' };
    await client.create(StorageClass, {
      metadata: { name: 'wide' },
      provisioner: 'example.com/wide',
      allowVolumeExpansion: true,
    });
    await client.create(PersistentVolumeClaim, { metadata: data, spec: { ...claimSpec(), storageClassName: 'wide' } });
    await settle();
    await client.delete(PersistentVolumeClaim, data);
    await settle();
  }),
  'classes of volume attributes': subject(
    ['volumeattributesclass-protection-controller'],
    async ({ client, settle }) => {
      for (let round = 0; round < 2; round++) {
        const parameters = { speed: 'high' };
        await client.create(VolumeAttributesClass, {
          metadata: { name: 'fast' },
          driverName: 'example.com',
          parameters,
        });
        await settle();
        await client.delete(VolumeAttributesClass, { name: 'fast' });
        await settle();
      }
    },
  ),
  'claims of resources': subject(['resourceclaim-controller'], async ({ client, settle }) => {
    const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }];
    const template = { namespace, name: 'gpus' };
    await client.create(ResourceClaimTemplate, { metadata: template, spec: { spec: { devices: { requests } } } });
    for (let round = 0; round < 2; round++) {
      const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'gpus' }];
      await createPod(client, 'a', { resourceClaims });
      await settle();
      await client.delete(Pod, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
      await settle();
    }
    await client.create(ResourceClaim, { metadata: { namespace, name: 'own' }, spec: { devices: { requests } } });
    await settle();
  }),
  'ranges of addresses': subject(['service-cidr-controller'], async ({ client, settle }) => {
    for (let round = 0; round < 2; round++) {
      await client.create(ServiceCIDR, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/24'] } });
      await settle();
      await client.delete(ServiceCIDR, { name: 'more' });
      await settle();
    }
  }),
  'tokens of accounts': subject(
    ['serviceaccount-token-controller'],
    async ({ client, settle }) => {
      for (let round = 0; round < 2; round++) {
        await client.create(ServiceAccount, { metadata: { namespace, name: 'robot' } });
        const annotations = { 'kubernetes.io/service-account.name': 'robot' };
        const type = 'kubernetes.io/service-account-token';
        await client.create(Secret, { metadata: { namespace, name: 'token', annotations }, type });
        await settle();
        await client.delete(ServiceAccount, { namespace, name: 'robot' });
        await settle();
      }
    },
    {
      rootCa: 'ca',
      signToken: async ({ secret }: { readonly secret: { readonly name: string } }) => `for ${secret.name}`,
    } as never,
  ),
  'tokens that expire': subject(['token-cleaner-controller'], async ({ client, settle, advance, plane }) => {
    const expiration = new Date(plane.clock.now() + 60_000).toISOString().replace(/\.\d+/, '');
    const stringData = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', expiration };
    const metadata = { namespace: 'kube-system', name: 'bootstrap-token-abcdef' };
    await client.create(Secret, { metadata, type: 'bootstrap.kubernetes.io/token', stringData });
    await settle();
    await advance('2m');
    await settle();
  }),
  'times to live of nodes': subject(['ttl-controller'], async ({ client, settle }) => {
    for (const name of ['a', 'b']) await client.create(Node, { metadata: { name } });
    await settle();
    await client.delete(Node, { name: 'a' });
    await settle();
  }),
  'checked policies': subject(['validatingadmissionpolicy-status-controller'], async ({ client, settle }) => {
    const matchConstraints = {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['pods'] }],
    };
    const policy = { name: 'small' };
    const validations = [{ expression: 'size(object.metadata.name) < 60' }];
    await client.create(ValidatingAdmissionPolicy, { metadata: policy, spec: { matchConstraints, validations } });
    await settle();
    const others = [{ expression: 'object.metadata.name.missing()' }];
    await client
      .patch(ValidatingAdmissionPolicy, policy, { type: 'merge', body: { spec: { validations: others } } })
      .catch(() => undefined);
    await settle();
  }),
  'pods of nodes that are gone': subject(['pod-garbage-collector-controller'], async ({ client, settle, advance }) => {
    await client.create(Node, { metadata: { name: 'a' } });
    await createPod(client, 'web', { nodeName: 'a' });
    await settle();
    await client.delete(Node, { name: 'a' });
    await advance('3m');
    await settle();
  }),
  'evicted pods': subject(['taint-eviction-controller'], async ({ client, settle, advance }) => {
    await client.create(Node, { metadata: { name: 'a' } });
    await createPod(client, 'web', { nodeName: 'a' });
    await settle();
    const taints = [{ key: 'example.com/out', effect: 'NoExecute' as const }];
    await client.patch(Node, { name: 'a' }, { type: 'merge', body: { spec: { taints } } });
    await advance('1m');
    await settle();
  }),
  autoscalers: {
    ignore: [
      {
        object: 'horizontalpodautoscalers.autoscaling *',
        field: 'status.*',
        reason: 'a sync without metrics keeps the status of the sync before, as in Kubernetes',
      },
    ],
    ...subject(['horizontal-pod-autoscaler-controller'], async ({ client, settle }) => {
      const web = { namespace, name: 'web' };
      const template = { metadata: { labels }, spec: { containers } };
      await client.create(ReplicationController, { metadata: web, spec: { replicas: 5, selector: labels, template } });
      const scaleTargetRef = { apiVersion: 'v1', kind: 'ReplicationController', name: 'web' };
      await client.create(HorizontalPodAutoscaler, { metadata: web, spec: { scaleTargetRef, maxReplicas: 3 } });
      await settle();
      await client.patch(HorizontalPodAutoscaler, web, { type: 'merge', body: { spec: { maxReplicas: 2 } } });
      await settle();
    }),
  },
};

function subject(names: readonly string[], scenario: Scenario, options: BuiltinControllerOptions = {}): ExploreOptions {
  return {
    operator: (manager) => addBuiltinControllers(manager, names, options),
    controllers: ['serviceaccount-controller'],
    scenario,
  };
}

async function createPod(client: Parameters<Scenario>[0]['client'], name: string, spec: object = {}): Promise<void> {
  await client.create(Pod, { metadata: { namespace, name, labels }, spec: { containers, ...spec } });
}

function claimSpec() {
  return { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
}
