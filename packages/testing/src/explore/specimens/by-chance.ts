import { hash } from 'node:crypto';
import type { Client } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import type { ScenarioContext } from '../model/options.ts';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

/** I1: generates a password for each place where one is missing: after a crash between, the places have different ones. */
const twoPasswords = specimen(
  'a password and its copy differ',
  'I1',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { size: 2 } } });
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .owns(Secret)
      .reconcile(async (object, { live }) => {
        const round = `${object.spec.size}`;
        const [users, login] = [
          await live.find(ConfigMap, { ...db, name: 'db-users' }),
          await live.find(Secret, { ...db, name: 'db-login' }),
        ];
        const isDone = (found: KubernetesObject | undefined) => found?.metadata.annotations?.round === round;
        const put = async (type: ResourceType, name: string, password: string) => {
          const data = { password: type === Secret ? Buffer.from(password).toString('base64') : password };
          const { metadata } = childOf(object, name);
          const body = { metadata: { ...metadata, annotations: { round } }, data };
          if ((await live.find(type, { ...db, name })) === undefined) await live.create(type, body as never);
          else await live.patch(type, { ...db, name }, { type: 'merge', body });
        };
        if (isDone(users) && isDone(login)) return;
        const kept = isMended && isDone(users) ? users?.data?.password : undefined;
        const password = kept ?? (await generated(live, object));
        if (!isDone(users)) await put(ConfigMap, 'db-users', password);
        await put(Secret, 'db-login', password);
      });
  },
);

/** Returns another password each time, but the same in each replay of a run. */
async function generated(live: Client, { metadata: { uid } }: Cluster): Promise<string> {
  const { metadata } = await live.list(ConfigMap, { namespace: db.namespace });
  return hash('sha256', `${uid} ${metadata.resourceVersion}`, 'hex').slice(0, 16);
}

/** S1: sees no root in an old cache, and creates one more, with another name. The mended name is made of the uid. */
const oneMore = specimen(
  'one more with a generated name, because an old cache has none',
  'S1',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { size: 2 } } });
      await settle();
      await client.delete(Cluster, db);
      await settle();
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, { client, live }) => {
        const { uid = '' } = object.metadata;
        const roots = (await client.list(ConfigMap, { namespace: db.namespace })).filter(
          ({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid,
        );
        const data = { size: `${object.spec.size}` };
        for (const root of roots)
          if (root.data?.size !== data.size)
            await live.patch(ConfigMap, root.metadata, { type: 'merge', body: { data } });
        if (roots.length > 0) return;
        const { name, ...metadata } = childOf(object, `db-${uid.slice(0, 8)}`).metadata;
        const named = isMended ? { ...metadata, name } : { ...metadata, generateName: 'db-' };
        await live.create(ConfigMap, { metadata: named, data }).catch(ignoring(isAlreadyExists));
      });
  },
);

async function relabel({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ users: { ann: '1', bob: '1' } }));
  await settle();
  await client.patch(Cluster, db, { type: 'merge', body: { spec: { users: { bob: null, eve: '2' } } } });
  await settle();
}

/** A: writes down which labels it has set before it sets them, on an object that others have created. */
const notedTooEarly = specimen(
  'the list of what was set is written before it is set',
  'A',
  {
    scenario: relabel,
    objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...db, name: 'shared' } }],
  },
  (isMended) => (manager) => {
    const NOTE = 'specimens.pintle.dev/set';
    manager.controller(Cluster).reconcile(async (object, { live }) => {
      const wanted = object.spec.users ?? {};
      const noted = (object.metadata.annotations?.[NOTE] ?? '').split(',').filter((key) => key !== '');
      const note = async (keys: readonly string[]) => {
        const annotations = { [NOTE]: [...new Set(keys)].sort().join(',') };
        await live.patch(Cluster, db, { type: 'merge', body: { metadata: { annotations } } });
      };
      const removed = noted.filter((key) => !(key in wanted));
      const labels = { ...wanted, ...Object.fromEntries(removed.map((key) => [key, null])) };
      const shared = await live.get(ConfigMap, { ...db, name: 'shared' });
      const isDirty = Object.entries(labels).some(([key, value]) => (shared.metadata.labels?.[key] ?? null) !== value);
      const isNoted = Object.keys(wanted).every((key) => noted.includes(key));
      if (!isNoted) await note(isMended ? [...noted, ...Object.keys(wanted)] : Object.keys(wanted));
      if (isDirty)
        await live.patch(ConfigMap, shared.metadata, { type: 'merge', body: { metadata: { labels } as object } });
      if (isNoted && removed.length > 0) await note(Object.keys(wanted));
    });
  },
);

export const chanceSpecimens: readonly Specimen[] = [twoPasswords, oneMore, notedTooEarly];
