import { ConfigMap } from '@pintle/kinds/core/v1';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import type { ScenarioContext } from '../model/options.ts';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

const member = { namespace: 'default', name: 'db-member' };
const HELD = 'specimens.pintle.dev/held';

/** A user removes a member: it is terminating, then gone. */
async function removeMember({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ replicas: 1 }));
  await client.create(ConfigMap, { metadata: { ...member, labels: { role: 'member' }, finalizers: [HELD] } });
  await settle();
  await client.delete(ConfigMap, member);
  await settle();
  await client.patch(ConfigMap, member, { type: 'merge', body: { metadata: { finalizers: null } } });
  await settle();
}

/** U1: cleans up after a member only when it sees it terminating. */
const needsToSeeTerminating = specimen(
  'cleans up only what it sees going',
  'U1',
  { scenario: removeMember },
  (isMended) => {
    return (manager) => {
      manager
        .controller(Cluster)
        .watches(ConfigMap, () => [db])
        .reconcile(async (object, { client, live }) => {
          const found = await client.find(ConfigMap, member);
          const isGoing = found?.metadata.deletionTimestamp !== undefined;
          const entry = { namespace: 'default', name: 'db-member-entry' };
          const has = await client.find(ConfigMap, entry);
          if (found !== undefined && !isGoing && has === undefined)
            await live.create(ConfigMap, childOf(object, entry.name));
          if (has !== undefined && (isGoing || (isMended && found === undefined)))
            await live.delete(ConfigMap, entry).catch(ignoring(isNotFound));
        });
    };
  },
);

/** U1: keeps its tasks in memory. */
const remembers = specimen(
  'remembers in memory what is to be removed',
  'U1',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ users: { ann: '1', bob: '2' } }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { users: { bob: null } } } });
      await settle();
    },
  },
  (isMended) => (manager) => {
    const before = new Set<string>();
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const wanted = Object.keys(object.spec.users ?? {});
        for (const name of wanted) await ctx.apply(ConfigMap, { metadata: { name: `db-user-${name}` } });
        if (isMended) await ctx.prune();
        else
          for (const name of before)
            if (!wanted.includes(name)) {
              before.delete(name);
              await ctx.live.delete(ConfigMap, { namespace: 'default', name: `db-user-${name}` });
            }
        for (const name of wanted) before.add(name);
      });
  },
);

export const unseenSpecimens: readonly Specimen[] = [needsToSeeTerminating, remembers];
