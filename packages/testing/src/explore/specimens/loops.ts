import { ConfigMap } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

/** X: deletes all members with its label that it does not want; another cluster has the label too, and creates them again. */
const prunesOthers = specimen(
  'deletes the members of another cluster, which creates them again',
  'X',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ users: { app: 'a' } }));
      await client.create(Cluster, { ...cluster({ users: { app: 'b' } }), metadata: { ...db, name: 'other' } });
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { users: { app: 'b' } } } });
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const { live } = ctx;
        const labels = { app: object.spec.users?.app ?? '' };
        const member = { ...db, name: `${object.metadata.name}-member` };
        const found = await live.find(ConfigMap, member);
        const { metadata } = childOf(object, member.name);
        if (found === undefined)
          await live.create(ConfigMap, { metadata: { ...metadata, labels } }).catch(ignoring(isAlreadyExists));
        else if (found.metadata.labels?.app !== labels.app)
          await live.patch(ConfigMap, member, { type: 'merge', body: { metadata: { labels } } });
        const members = isMended
          ? await ctx.children(ConfigMap)
          : (await live.list(ConfigMap, { namespace: db.namespace, labelSelector: `app=${labels.app}` })).items;
        for (const each of members)
          if (each.metadata.name !== member.name)
            await live.delete(ConfigMap, each.metadata).catch(ignoring(isNotFound));
      });
  },
);

export const loopSpecimens: readonly Specimen[] = [prunesOthers];
