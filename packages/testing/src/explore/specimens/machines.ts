import { setControllerReference } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Job } from '@pintle/kinds/batch/v1';
import { ConfigMap, Secret, Service } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { defineResource } from '@pintle/operator';
import { z } from 'zod';
import type { ExploreOptions, Scenario, ScenarioContext } from '../model/options.ts';
import type { Specimen } from './cluster.ts';

const Broker = defineResource({
  group: 'specimens.pintle.dev',
  version: 'v1',
  kind: 'Broker',
  spec: z.object({
    version: z.number().optional(),
    replicas: z.number().optional(),
    backup: z.number().optional(),
    rotation: z.number().optional(),
    settings: z.record(z.string(), z.string()).optional(),
  }),
  status: z.object({
    phase: z.string().optional(),
    version: z.number().optional(),
    backup: z.number().optional(),
    job: z.string().optional(),
    rotation: z.number().optional(),
    replicas: z.number().optional(),
  }),
});

const mq = { namespace: 'default', name: 'mq' };

function stateOf(broker: { readonly status?: { readonly phase?: string | undefined } | undefined }): string {
  return broker.status?.phase ?? 'New';
}

type Spec = Partial<Record<'version' | 'replicas' | 'backup' | 'rotation', number>> & {
  readonly settings?: Record<string, string>;
};

function brokers(
  name: string,
  family: Specimen['family'],
  specs: readonly (Spec | undefined)[],
  add: (isMended: boolean) => NonNullable<ExploreOptions['operator']>,
  more: Partial<ExploreOptions> = {},
): Specimen {
  const common = { crds: [Broker], scenario: walk(specs), ...more };
  return { name, family, broken: { ...common, operator: add(false) }, mended: { ...common, operator: add(true) } };
}

/** Creates a broker, applies each spec, deletes it for `undefined`, and rests after each. */
function walk(specs: readonly (Spec | undefined)[]): Scenario {
  return async ({ client, settle }: ScenarioContext) => {
    let isThere = false;
    for (const spec of specs) {
      if (spec === undefined) await client.delete(Broker, mq);
      else if (isThere) await client.patch(Broker, mq, { type: 'merge', body: { spec } });
      else await client.create(Broker, { metadata: mq, spec });
      isThere = spec !== undefined;
      await settle();
    }
  };
}

/** I1: a state machine that enters the next state before the work of the last one is done. */
const entersStateFirst = brokers(
  'enters the next state before the work of this one is done',
  'I1',
  [{ version: 1 }],
  (isMended) => (manager) => {
    manager
      .controller(Broker)
      .owns(ConfigMap)
      .owns(Service)
      .reconcile(async (broker, ctx) => {
        const enter = async (phase: string) =>
          void (await ctx.client.patch(
            Broker,
            mq,
            { type: 'merge', body: { status: { phase } } },
            { subresource: 'status' },
          ));
        const work: Record<string, () => Promise<unknown>> = {
          New: () => ctx.apply(ConfigMap, { metadata: { name: 'mq-config' } }),
          Configured: () => ctx.apply(Service, { metadata: { name: 'mq' }, spec: { ports: [{ port: 5672 }] } }),
        };
        const next: Record<string, string> = { New: 'Configured', Configured: 'Ready' };
        const state = stateOf(broker);
        const following = next[state];
        if (following === undefined) return;
        if (isMended) await work[state]?.();
        await enter(following);
        if (!isMended) await work[state]?.();
      });
  },
);

/** I1: reports that the password was rotated before it rotates it. */
const rotatesTwice = brokers(
  'a job with a new name for each attempt',
  'I1',
  [{ backup: 1 }, { backup: 2 }],
  (isMended) => (manager) => {
    manager
      .controller(Broker)
      .owns(Job)
      .reconcile(async (broker, ctx) => {
        const { backup = 0 } = broker.spec;
        if (broker.status?.backup === backup) return;
        const job: Job = {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: {
            namespace: 'default',
            ...(isMended ? { name: `backup-${backup}` } : { generateName: 'backup-' }),
          },
          spec: {
            template: {
              spec: { restartPolicy: 'Never', containers: [{ name: 'backup', image: 'backup:1' }] },
            },
          },
        };
        setControllerReference(job, Broker, broker);
        const made = await ctx.live.create(Job, job).catch(ignoring(isAlreadyExists));
        ctx.status({ backup, job: made?.metadata.name ?? job.metadata.name ?? '' });
      });
  },
  { controllers: ['serviceaccount-controller', 'job-controller'], nodes: 1 },
);

/** S4: another version is taken for a newer one, and everything is moved to it. */
const downgrades = brokers(
  'takes another version for a newer one',
  'S4',
  [{ version: 1 }, { version: 2 }],
  (isMended) => (manager) => {
    manager
      .controller(Broker)
      .owns(Deployment)
      .reconcile(async (broker, ctx) => {
        const { version = 1 } = broker.spec;
        const found = await ctx.live.find(Deployment, mq);
        const runs = Number(found?.metadata.annotations?.version ?? 0);
        if (isMended ? runs >= version : runs === version) return;
        if (runs > 0)
          await ctx.live
            .create(ConfigMap, { metadata: { namespace: 'default', name: `mq-migration-${runs}-to-${version}` } })
            .catch(ignoring(isAlreadyExists));
        const labels = { app: 'mq' };
        await ctx.apply(Deployment, {
          metadata: { name: 'mq', annotations: { version: `${version}` } },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'mq', image: `mq:${version}` }] } },
          },
        });
      });
  },
);

/** A: merges settings into existing ones: removed settings stay when the operator missed the removal. */
const mergesSettings = brokers(
  'merges settings into what is there',
  'A',
  [{ settings: { a: '1', b: '2' } }, { settings: { a: '1', b: null as unknown as string } }, { settings: { c: '3' } }],
  (isMended) => (manager) => {
    manager
      .controller(Broker)
      .owns(ConfigMap)
      .reconcile(async (broker, { client, live }) => {
        const wanted = broker.spec.settings ?? {};
        const place = { namespace: 'default', name: 'mq-settings' };
        const found = await live.find(ConfigMap, place);
        if (found === undefined) {
          const made: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: place, data: wanted };
          setControllerReference(made, Broker, broker);
          await client.create(ConfigMap, made);
          return;
        }
        const data = isMended ? wanted : { ...found.data, ...wanted };
        if (JSON.stringify(sorted(data)) !== JSON.stringify(sorted(found.data ?? {})))
          await client.update(ConfigMap, { ...found, data }).catch(ignoring(isConflict));
      });
  },
);

function sorted(data: Record<string, string>): [string, string][] {
  return Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** X: creates a child of a terminating broker, which outlives it. */
const makesAfterDeletion = brokers(
  'makes a child of what is being deleted',
  'X',
  [{ replicas: 1 }, undefined],
  (isMended) => (manager) => {
    const FINALIZER = 'specimens.pintle.dev/queue';
    const queue = { namespace: 'default', name: 'mq-queue' };
    manager
      .controller(Broker)
      .watches(ConfigMap, () => [mq])
      .reconcile(async (broker, { client, live }) => {
        const { deletionTimestamp, finalizers = [] } = broker.metadata;
        const found = await client.find(ConfigMap, queue);
        if (deletionTimestamp !== undefined) {
          if (found !== undefined) await live.delete(ConfigMap, queue).catch(ignoring(isNotFound));
          if (found === undefined || !isMended)
            await live
              .patch(Broker, mq, {
                type: 'merge',
                body: { metadata: { finalizers: finalizers.filter((each) => each !== FINALIZER) } },
              })
              .catch(ignoring(isNotFound));
          if (isMended) return;
        } else if (!finalizers.includes(FINALIZER))
          await live.patch(Broker, mq, {
            type: 'merge',
            body: { metadata: { finalizers: [...finalizers, FINALIZER] } },
          });
        if (found === undefined) await live.create(ConfigMap, { metadata: queue }).catch(ignoring(isAlreadyExists));
      });
  },
);

/** I2: a chain of three objects, of which only the first is checked. */
const chainOfThree = brokers(
  'a chain is begun once, and never taken up again',
  'I2',
  [{ replicas: 1 }, { replicas: 2 }],
  (isMended) => (manager) => {
    manager
      .controller(Broker)
      .owns(Secret)
      .owns(ConfigMap)
      .owns(Service)
      .reconcile(async (broker, ctx) => {
        const user = await ctx.find(Secret, 'mq-user');
        const isFirst = user === undefined;
        if (isFirst) await ctx.apply(Secret, { metadata: { name: 'mq-user' }, stringData: { name: 'admin' } });
        if (isFirst || isMended) {
          await ctx.apply(ConfigMap, { metadata: { name: 'mq-grants' }, data: { admin: 'all' } });
          await ctx.apply(Service, { metadata: { name: 'mq' }, spec: { ports: [{ port: 5672 }] } });
        }
        ctx.status({ replicas: broker.spec.replicas ?? 0 });
      });
  },
);

/** X: two controllers, of which one creates what the other deletes. */
const twoControllers = brokers(
  'two controllers do not agree on whom a config belongs to',
  'X',
  [{ replicas: 1 }, { replicas: 0 }, { replicas: 1 }],
  (isMended) => (manager) => {
    const config = { namespace: 'default', name: 'mq-topology' };
    const grant = { namespace: 'default', name: 'mq-grant' };
    manager
      .controller(Broker)
      .owns(ConfigMap)
      .reconcile(async (broker, ctx) => {
        const isWanted = (broker.spec.replicas ?? 0) > 0;
        const found = await ctx.client.find(ConfigMap, config);
        if (isWanted && found === undefined)
          await ctx.apply(ConfigMap, { metadata: { name: config.name }, data: { replicas: '1' } });
        if (!isWanted && found !== undefined) await ctx.client.delete(ConfigMap, found);
      });
    manager
      .controller(ConfigMap)
      .watches(Secret, ({ metadata }) => (metadata.name === grant.name ? [config] : []))
      .options({ name: 'grants' })
      .reconcileRequests(async (request, { client, live, reasons }) => {
        if (request.name !== config.name) return;
        const topology = await client.find(ConfigMap, request);
        const granted = await client.find(Secret, grant);
        if (topology !== undefined && granted === undefined)
          await live.create(Secret, { metadata: grant }).catch(ignoring(isAlreadyExists));
        const isRemoved = isMended ? topology === undefined : reasons.some(({ cause }) => cause === 'deleted');
        if (isRemoved && granted !== undefined)
          await live
            .delete(Secret, grant, { preconditions: { uid: granted.metadata.uid ?? '' } })
            .catch(ignoring(isNotFound));
      });
  },
);

export const machineSpecimens: readonly Specimen[] = [
  entersStateFirst,
  rotatesTwice,
  downgrades,
  mergesSettings,
  makesAfterDeletion,
  chainOfThree,
  twoControllers,
];
