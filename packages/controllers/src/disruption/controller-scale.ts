import type { CachedClient } from '@pintle/client';
import { Deployment, ReplicaSet, StatefulSet } from '@pintle/kinds/apps/v1';
import { ReplicationController } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { discoverResources } from '../common/discover-resources.ts';
import { controllerOf } from '../common/owners.ts';

interface Scaled extends KubernetesObject {
  spec?: { replicas?: number };
}

interface ControllerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Controller of pods and the number of replicas that it wants. */
interface ControllerScale {
  readonly uid: string;
  readonly scale: number;
}

const CACHED: readonly ResourceType<Scaled>[] = [
  ReplicaSet as ResourceType<Scaled>,
  StatefulSet as ResourceType<Scaled>,
  ReplicationController as ResourceType<Scaled>,
];

/** Returns `undefined` when the controller is gone or was replaced. Throws when its kind has no scale. */
export async function scaleOf(
  client: CachedClient,
  namespace: string,
  controller: ControllerRef,
): Promise<ControllerScale | undefined> {
  const { apiVersion, kind, name, uid } = controller;
  const type = CACHED.find((candidate) => candidate.kind === kind && candidate.apiVersion === apiVersion);
  if (type === undefined) return await discoveredScale(client, namespace, controller);
  const found = await client.find(type, { namespace, name });
  if (found?.metadata.uid !== uid) return undefined;
  const parent = controllerOf(found);
  if (parent?.kind === Deployment.kind) {
    const deployment = await client.find(Deployment, { namespace, name: parent.name });
    if (deployment?.metadata.uid === parent.uid) return { uid: parent.uid, scale: deployment.spec?.replicas ?? 1 };
  }
  return { uid, scale: found.spec?.replicas ?? 1 };
}

/** Reads the scale of any kind that has the scale subresource. */
async function discoveredScale(
  client: CachedClient,
  namespace: string,
  { apiVersion, kind, name, uid }: ControllerRef,
): Promise<ControllerScale | undefined> {
  const [found] = await discoverResources(
    client.live,
    ({ type }) => type.apiVersion === apiVersion && type.kind === kind,
  );
  if (found === undefined)
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  const { plural, group } = found.type;
  // Uses the preferred version, whichever version the reference has.
  const [preferred] = await discoverResources(
    client.live,
    ({ type }) => type.group === group && type.plural === plural,
  );
  const { type } = preferred ?? found;
  // A pod leads only to objects of its own namespace.
  if (type.scope !== 'Namespaced') return undefined;
  try {
    const scale = (await client.live.get(type, { namespace, name }, { subresource: 'scale' })) as Scaled;
    return scale.metadata.uid === uid ? { uid, scale: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (found.subresources.includes('scale')) return undefined;
    throw new Error(`${group === '' ? plural : `${plural}.${group}`} does not implement the scale subresource`);
  }
}
