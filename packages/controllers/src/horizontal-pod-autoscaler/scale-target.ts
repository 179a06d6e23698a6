import type { CachedClient } from '@pintle/client';
import { Deployment, ReplicaSet, StatefulSet } from '@pintle/kinds/apps/v1';
import { ReplicationController } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { serverResponseError } from '@pintle/machinery/errors';
import { discoverResources } from '../common/discover-resources.ts';

/** A Scale, as the scale subresource returns it. */
export interface Scale extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

interface TargetRef {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

const WELL_KNOWN: readonly ResourceType[] = [Deployment, ReplicaSet, StatefulSet, ReplicationController];

/** Returns the kind of an autoscaler's target, in a served version. Throws when it is not served. */
export async function targetType(client: CachedClient, { apiVersion = '', kind }: TargetRef): Promise<ResourceType> {
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const group = parts.length === 2 ? parts[0]! : '';
  const isTarget = (type: ResourceType): boolean => type.group === group && type.kind === kind;
  const known = WELL_KNOWN.find(isTarget);
  if (known !== undefined) return known;
  const found = await discoverResources(client.live, ({ type }) => isTarget(type));
  const chosen = found.find(({ isPreferred }) => isPreferred) ?? found[0];
  if (chosen === undefined)
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
  return chosen.type;
}

/** Throws 404 for a kind without namespaces: an autoscaler acts in its own namespace only. */
export async function readScale(
  client: CachedClient,
  type: ResourceType,
  ref: { readonly namespace: string; readonly name: string },
): Promise<Scale> {
  requireNamespaced(type);
  return (await client.live.get(type, ref, { subresource: 'scale' })) as Scale;
}

/** Sets the number of replicas, without a precondition. */
export async function writeScale(
  client: CachedClient,
  type: ResourceType,
  ref: { readonly namespace: string; readonly name: string },
  replicas: number,
): Promise<void> {
  requireNamespaced(type);
  await client.live.patch(type, ref, { type: 'merge', body: { spec: { replicas } } }, { subresource: 'scale' });
}

/** Authors of autoscalers have rights in a namespace, and none on objects of the cluster. */
function requireNamespaced(type: ResourceType): void {
  if (type.scope !== 'Namespaced') throw serverResponseError({ code: 404, method: 'GET' });
}
