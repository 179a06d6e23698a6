import type { CachedClient, NewObject } from '@pintle/client';
import type { StatefulSet } from '@pintle/kinds/apps/v1';
import { PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import { hasForeignController, ownersToSet, retentionOf } from './claim-owners.ts';
import { claimName } from './identity.ts';

interface ClaimContext {
  readonly client: CachedClient;
  readonly set: StatefulSet;
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** Creates the claims of a pod. Fails when one is being deleted, and is then tried again. */
export async function createClaims(context: ClaimContext, ordinal: number): Promise<void> {
  const failures: Error[] = [];
  for (const claim of claimsOf(context.set, ordinal)) {
    const failure = await createClaim(context, ordinal, claim);
    if (failure !== undefined) failures.push(failure);
  }
  if (failures.length > 0) throw aggregated(failures);
}

async function createClaim(
  { client, set, recordEvent }: ClaimContext,
  ordinal: number,
  claim: NewObject<PersistentVolumeClaim>,
): Promise<Error | undefined> {
  const { namespace, name = '' } = claim.metadata;
  const found = await client.find(PersistentVolumeClaim, { namespace, name });
  if (found?.metadata.deletionTimestamp) return new Error(`pvc ${name} is being deleted`);
  if (found !== undefined) return undefined;
  const where = `Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
  try {
    await client.create(PersistentVolumeClaim, claim);
    recordEvent('Normal', 'SuccessfulCreate', `Create Claim ${name} ${where} success`);
    return undefined;
  } catch (error) {
    const why = messageOf(error);
    if (!isAlreadyExists(error))
      recordEvent('Warning', 'FailedCreate', `Create Claim ${name} for ${where} failed error: ${why}`);
    return new Error(`failed to create PVC ${name}: ${why}`, { cause: error });
  }
}

/** Joins errors as Kubernetes does, each message once. */
function aggregated(failures: readonly Error[]): Error {
  const [cause] = failures;
  const messages = [...new Set(failures.map(({ message }) => message))];
  return failures.length === 1
    ? cause!
    : new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True when a claim still belongs to a former pod with this ordinal, and is deleted with it. */
export async function isClaimOwnedByFormerPod({ client, set }: ClaimContext, ordinal: number): Promise<boolean> {
  if (retentionOf(set).whenScaled !== 'Delete') return false;
  const pod = `${set.metadata.name}-${ordinal}`;
  for (const claim of await existingClaims(client, set, ordinal))
    if (claim.metadata.ownerReferences?.some(({ kind, name }) => kind === Pod.kind && name === pod)) return true;
  return false;
}

/** Corrects the owners of a pod's claims. Returns whether any was wrong. */
export async function fixClaimOwners(context: ClaimContext, pod: Pod, ordinal: number): Promise<boolean> {
  const claims = await existingClaims(context.client, context.set, ordinal);
  const areOwnersRight = claims.every(({ metadata }) => ownersToSet(context.set, pod, ordinal, metadata) === undefined);
  if (!areOwnersRight) await updateClaimOwners(context, pod, ordinal);
  return !areOwnersRight;
}

/** Writes the owners of a pod's claims, and records an event for those that another controller has. */
export async function updateClaimOwners(
  { client, set, recordEvent }: ClaimContext,
  pod: Pod,
  ordinal: number,
): Promise<void> {
  for (const claim of await existingClaims(client, set, ordinal)) {
    const { namespace, name = '', uid } = claim.metadata;
    if (hasForeignController(set, pod, claim.metadata)) recordEvent('Warning', 'ConflictingController', conflict(name));
    const owners = ownersToSet(set, pod, ordinal, claim.metadata);
    if (owners === undefined) continue;
    const body = { metadata: { uid, ownerReferences: owners.length > 0 ? owners : null } };
    try {
      await client.patch(PersistentVolumeClaim, { namespace, name }, { type: 'merge', body });
    } catch (error) {
      const message = `could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`;
      throw new Error(message, { cause: error });
    }
  }
}

const conflict = (claim: string): string =>
  `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;

/** Returns the name of the pod that a claim of the set is for. */
export function podOfClaim(set: StatefulSet, { metadata: { name = '' } }: PersistentVolumeClaim): string | undefined {
  for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
    const prefix = `${metadata.name}-${set.metadata.name}-`;
    if (name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      return name.slice(`${metadata.name}-`.length);
  }
  return undefined;
}

function claimsOf(set: StatefulSet, ordinal: number): NewObject<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  const { volumeClaimTemplates = [], selector } = set.spec ?? {};
  return volumeClaimTemplates.map(({ metadata, spec }) => ({
    metadata: {
      ...(namespace && { namespace }),
      name: claimName(metadata.name ?? '', set, ordinal),
      labels: { ...metadata.labels, ...selector?.matchLabels },
      ...(metadata.annotations && { annotations: { ...metadata.annotations } }),
      ...(metadata.finalizers && { finalizers: [...metadata.finalizers] }),
    },
    ...(spec && { spec: deepCopy(spec) }),
  }));
}

async function existingClaims(
  client: CachedClient,
  set: StatefulSet,
  ordinal: number,
): Promise<PersistentVolumeClaim[]> {
  const { namespace } = set.metadata;
  const found: PersistentVolumeClaim[] = [];
  for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
    const name = claimName(metadata.name ?? '', set, ordinal);
    const claim = await client.find(PersistentVolumeClaim, { namespace, name });
    if (claim !== undefined) found.push(claim);
  }
  return found;
}
