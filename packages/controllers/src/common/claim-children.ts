import { type CachedClient, genericMergePatch, type StrategicPatch } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isInvalid, isNotFound } from '@pintle/machinery/errors';
import { filterInTurns } from './filter-in-turns.ts';
import { controllerOf, controllerRef } from './owners.ts';

interface ClaimOptions<O extends KubernetesObject, C extends KubernetesObject> {
  readonly client: CachedClient;
  readonly ownerType: ResourceType<O>;
  readonly owner: O;
  readonly childType: ResourceType<C>;
  /** Objects in the owner's namespace that it may adopt or release. */
  readonly candidates: readonly C[];
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
  /** Narrows the objects that match. Default: all. */
  readonly isWanted?: (child: C) => boolean;
  /** Finalizer that adopted children get and released ones lose. */
  readonly finalizer?: string;
}

/**
 * Returns the children of an owner: objects that it controls and that its selector matches. Adopts a match without a
 * controller, and releases a child that no longer matches.
 */
export async function claimChildren<O extends KubernetesObject, C extends KubernetesObject>(
  options: ClaimOptions<O, C>,
): Promise<C[]> {
  const { client, owner, ownerType, childType, candidates, matches, isWanted = () => true } = options;
  const { uid, deletionTimestamp } = owner.metadata;
  const claimed: C[] = [];
  const adoptable: C[] = [];
  const isMatching = (child: C): boolean => matches(child.metadata.labels ?? {}) && isWanted(child);
  const matching = new Set(await filterInTurns(client.live.clock, candidates, isMatching));
  for (const child of candidates) {
    const controller = controllerOf(child);
    const isMatch = matching.has(child);
    if (controller === undefined) {
      if (isMatch && !deletionTimestamp && !child.metadata.deletionTimestamp) adoptable.push(child);
    } else if (controller.uid === uid) {
      if (isMatch) claimed.push(child);
      else if (!deletionTimestamp) await release(client, childType, child, uid!, options.finalizer);
    }
  }
  if (adoptable.length === 0) return claimed;
  // The cache may be behind: an owner that is being deleted, or another of its name, must adopt nothing.
  const fresh = await client.live.find(ownerType, {
    namespace: owner.metadata.namespace,
    name: owner.metadata.name ?? '',
  });
  if (fresh === undefined || fresh.metadata.uid !== uid || fresh.metadata.deletionTimestamp) return claimed;
  for (const child of adoptable) {
    const adopted = await adopt(client, childType, child, options);
    if (adopted !== undefined) claimed.push(adopted);
  }
  return claimed;
}

async function adopt<O extends KubernetesObject, C extends KubernetesObject>(
  client: CachedClient,
  type: ResourceType<C>,
  child: C,
  { ownerType, owner, finalizer }: ClaimOptions<O, C>,
): Promise<C | undefined> {
  const { namespace, name = '', uid } = child.metadata;
  const ownerReferences = [controllerRef(ownerType, owner)];
  const body = { metadata: { uid, ownerReferences, ...(finalizer && { finalizers: [finalizer] }) } };
  const patch = { type: 'strategic', body: body as unknown as StrategicPatch<C> } as const;
  const adopted = await ignoringGone(() => client.patch(type, { namespace, name }, patch));
  return adopted as unknown as C | undefined;
}

async function release<C extends KubernetesObject>(
  client: CachedClient,
  type: ResourceType<C>,
  child: C,
  ownerUid: string,
  finalizer: string | undefined,
): Promise<void> {
  const { namespace, name = '', uid, ownerReferences = [], finalizers = [] } = child.metadata;
  const kept = ownerReferences.filter((reference) => reference.uid !== ownerUid);
  const held = finalizers.filter((each) => each !== finalizer);
  const body = {
    metadata: {
      uid,
      ownerReferences: kept.length > 0 ? kept : null,
      ...(held.length < finalizers.length && { finalizers: held.length > 0 ? held : null }),
    },
  };
  const patch = genericMergePatch<C>(body);
  await ignoringGone(() => client.patch(type, { namespace, name }, patch));
}

/** Ignores that the object is gone, or that another object has its name: either way it is no longer ours to change. */
async function ignoringGone<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change();
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return undefined;
    throw error;
  }
}
