import { addBuiltinControllers } from '@pintle/controllers';
import { DaemonSet, Deployment, StatefulSet } from '@pintle/kinds/apps/v1';
import { CronJob, Job } from '@pintle/kinds/batch/v1';
import {
  ConfigMap,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
} from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { type DefinedResource, defineResource, type Manager } from '@pintle/operator';
import type { ExploreOptions, Scenario, ScenarioContext } from '@pintle/testing/explore';
import { fromSchema } from '@pintle/testing/explore';
import { z } from 'zod';

/** Examples are projects of their own: the compiler does not look into them from here. */
async function example(path: string): Promise<Record<string, never>> {
  return (await import(new URL(`../../examples/${path}`, import.meta.url).href)) as Record<string, never>;
}

const { addMarkdownViews } = (await example('markdown-view/src/operator.ts')) as Record<string, Adder>;
const { MarkdownView } = (await example('markdown-view/src/markdown-view.ts')) as Record<string, DefinedResource>;
const { addFooController } = (await example('sample-controller/src/controller.ts')) as Record<string, Adder>;
const { Foo } = (await example('sample-controller/src/foo.ts')) as Record<string, DefinedResource>;
const { addSecSynchController } = (await example('secret-sync/src/controller.ts')) as Record<string, Adder>;
const { SecSynch } = (await example('secret-sync/src/sec-synch.ts')) as Record<string, DefinedResource>;

type Adder = (manager: Manager, options?: object) => unknown;

const Basket = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Basket',
  spec: z.object({ fruits: z.record(z.string(), z.string()) }),
});

/** Operators that are believed to be without mistakes, each with a scenario. */
export const subjects: Readonly<Record<string, ExploreOptions>> = {
  'the sample controller': {
    crds: [Foo!],
    operator: addFooController!,
    scenario: life(Foo!, 'first', [
      { deploymentName: 'one', replicas: 1 },
      { deploymentName: 'one', replicas: 3 },
      { deploymentName: 'two', replicas: 1 },
    ]),
  },
  'the sample controller, by its schema': { crds: [Foo!], operator: addFooController!, inputs: fromSchema(Foo!) },
  'the Markdown views': {
    crds: [MarkdownView!],
    operator: (manager) => addMarkdownViews!(manager, { hasWebhooks: false }),
    scenario: life(MarkdownView!, 'book', [
      { markdowns: { 'SUMMARY.md': '# Book' }, replicas: 1 },
      { markdowns: { 'SUMMARY.md': '# Book', 'a.md': 'a' }, replicas: 2 },
      { markdowns: { 'SUMMARY.md': '# Book' }, replicas: 1 },
    ]),
  },
  'the copies of secrets': {
    crds: [SecSynch!],
    operator: addSecSynchController!,
    objects: ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    scenario: async ({ client, settle }) => {
      const source = { namespace: 'default', name: 'source' };
      await client.create(Secret, { metadata: source, stringData: { key: '1' } });
      const metadata = { namespace: 'default', name: 'sync' };
      const spec = { source: { name: 'source' }, namespaces: ['a', 'b'] };
      await client.create(SecSynch!, { metadata, spec } as unknown as KubernetesObject);
      await settle();
      await client.patch(SecSynch!, metadata, { type: 'merge', body: { spec: { namespaces: ['a'] } } as object });
      await settle();
      await client.patch(Secret, source, { type: 'merge', body: { stringData: { key: '2' } } });
      await settle();
      await client.delete(SecSynch!, metadata);
      await settle();
    },
  },
  baskets: {
    crds: [Basket],
    manager: { leaderElection: { name: 'baskets', namespace: 'default' } },
    operator: (manager) => {
      manager
        .controller(Basket)
        .owns(ConfigMap)
        .reconcile(async ({ spec }, ctx) => {
          await ctx.apply(ConfigMap, { metadata: { name: 'fruits' }, data: spec.fruits });
        });
    },
    scenario: life(Basket, 'basket', [{ fruits: { a: '1', b: '2' } }, { fruits: { a: '1' } }]),
  },
  deployments: builtin(['deployment-controller', 'replicaset-controller'], workload(Deployment)),
  'stateful sets': builtin(['statefulset-controller'], workload(StatefulSet)),
  'daemon sets': builtin(['daemonset-controller'], workload(DaemonSet)),
  jobs: builtin(['job-controller', 'ttl-after-finished-controller'], async ({ client, settle, advance }) => {
    await client.create(Job, {
      metadata: { namespace: 'default', name: 'work' },
      spec: { ...jobSpec(2), ttlSecondsAfterFinished: 100 },
    });
    await settle();
    await advance('5s');
    await settle();
    await advance('3m');
    await settle();
  }),
  'cron jobs': {
    operator: (manager) => addBuiltinControllers(manager, ['cronjob-controller']),
    scenario: async ({ client, settle, advance }) => {
      const tick = { namespace: 'default', name: 'tick' };
      const spec = { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec(1) } };
      await client.create(CronJob, { metadata: tick, spec });
      await settle();
      await advance('6m');
      await settle();
      await client.patch(CronJob, tick, { type: 'merge', body: { spec: { suspend: true } } });
      await settle();
    },
    ignore: [
      { object: 'jobs.batch *', reason: 'times that passed while the controller did not see that it is suspended' },
      { object: 'cronjobs.batch *', field: 'status*', reason: 'tells of those jobs' },
    ],
  },
  namespaces: {
    operator: (manager) => addBuiltinControllers(manager, ['namespace-controller']),
    scenario: async ({ client, settle }) => {
      for (let round = 0; round < 2; round++) {
        await client.create(Namespace, { metadata: { name: 'space' } });
        await client.create(ConfigMap, { metadata: { namespace: 'space', name: 'one' } });
        await client.create(Secret, { metadata: { namespace: 'space', name: 'two' } });
        await settle();
        await client.delete(Namespace, { name: 'space' });
        await settle();
      }
    },
  },
  'the garbage collector': {
    operator: (manager) => addBuiltinControllers(manager, ['garbage-collector-controller']),
    controllers: ['-garbage-collector-controller'],
    scenario: async ({ client, settle }) => {
      for (let round = 0; round < 2; round++) {
        const owner = await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'owner' } });
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' }];
        await client.create(Secret, { metadata: { namespace: 'default', name: 'owned', ownerReferences } });
        await settle();
        await client.delete(ConfigMap, { namespace: 'default', name: 'owner' });
        await settle();
      }
    },
  },
  endpoints: {
    operator: (manager) => addBuiltinControllers(manager, ['endpoints-controller', 'endpointslice-controller']),
    controllers: ['serviceaccount-controller', 'node-lifecycle-controller'],
    nodes: 1,
    scenario: async ({ client, settle }) => {
      const web = { namespace: 'default', name: 'web' };
      await client.create(Service, { metadata: web, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
      await settle();
      for (const name of ['a', 'b'])
        await client.create(Pod, {
          metadata: { namespace: 'default', name, labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'web' }] },
        });
      await settle();
      await client.delete(Pod, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
      await settle();
      await client.delete(Service, web);
      await settle();
    },
  },
  quotas: {
    operator: (manager) => addBuiltinControllers(manager, ['resourcequota-controller']),
    scenario: async ({ client, settle }) => {
      const quota = { namespace: 'default', name: 'quota' };
      await client.create(ResourceQuota, { metadata: quota, spec: { hard: { configmaps: '10' } } });
      await settle();
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'one' } });
      await settle();
      await client.delete(ConfigMap, { namespace: 'default', name: 'one' });
      await settle();
    },
  },
  'service accounts': {
    operator: (manager) =>
      addBuiltinControllers(manager, ['serviceaccount-controller', 'root-ca-certificate-publisher-controller'], {
        rootCa: 'ca',
      }),
    scenario: async ({ client, settle }) => {
      await client.create(Namespace, { metadata: { name: 'space' } });
      await settle();
      await client.delete(ConfigMap, { namespace: 'space', name: 'kube-root-ca.crt' }).catch(() => undefined);
      await settle();
    },
  },
  'claims of volumes': {
    operator: (manager) => addBuiltinControllers(manager, ['persistentvolumeclaim-protection-controller']),
    controllers: ['-persistentvolumeclaim-protection-controller', 'serviceaccount-controller'],
    scenario: async ({ client, settle }) => {
      const data = { namespace: 'default', name: 'data' };
      for (let round = 0; round < 2; round++) {
        await client.create(PersistentVolumeClaim, {
          metadata: data,
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        });
        await settle();
        await client.delete(PersistentVolumeClaim, data);
        await settle();
      }
    },
  },
};

function builtin(names: readonly string[], scenario: Scenario): ExploreOptions {
  return {
    operator: (manager) => addBuiltinControllers(manager, names),
    controllers: ['serviceaccount-controller', 'node-lifecycle-controller'],
    nodes: 1,
    scenario,
  };
}

/** Creates an object, changes its spec, deletes it and creates it again. */
function life(type: ResourceType, name: string, specs: readonly object[]): Scenario {
  const place = { namespace: 'default', name };
  return async ({ client, settle }: ScenarioContext) => {
    const create = async (): Promise<void> => {
      await client.create(type, { metadata: place, spec: specs[0] } as unknown as KubernetesObject);
      await settle();
    };
    await create();
    for (const spec of specs.slice(1)) {
      await client.patch(type, place, { type: 'json', operations: [{ op: 'replace', path: '/spec', value: spec }] });
      await settle();
    }
    await client.delete(type, place);
    await settle();
    await create();
  };
}

function workload(type: ResourceType): Scenario {
  const labels = { app: 'web' };
  const template = (image: string) => ({
    metadata: { labels },
    spec: { containers: [{ name: 'web', image }], terminationGracePeriodSeconds: 0 },
  });
  const place = { namespace: 'default', name: 'web' };
  const isDaemon = type.kind === 'DaemonSet';
  return async ({ client, settle }) => {
    const more = { ...(type.kind === 'StatefulSet' && { serviceName: 'web' }), ...(!isDaemon && { replicas: 2 }) };
    const spec = { selector: { matchLabels: labels }, template: template('web:1'), ...more };
    await client.create(type, { metadata: place, spec } as unknown as KubernetesObject);
    await settle();
    await client.patch(type, place, {
      type: 'merge',
      body: { spec: isDaemon ? { minReadySeconds: 0 } : { replicas: 1 } },
    });
    await settle();
    await client.patch(type, place, { type: 'merge', body: { spec: { template: template('web:2') } } });
    await settle();
    await client.delete(type, place);
    await settle();
  };
}

function jobSpec(completions: number) {
  return {
    completions,
    template: { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'work', image: 'work' }] } },
  };
}
