import type { Clock, Random } from '@pintle/async';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { NAME_SUFFIX_ALPHABET } from '@pintle/machinery/names';
import { formatTime } from '@pintle/machinery/time';
import type { ServedResource } from './served-resource.ts';

const GENERATED_SUFFIX_LENGTH = 5;
const MAX_GENERATED_BASE = 63 - GENERATED_SUFFIX_LENGTH;

/** Removes the server's own fields that a client set in a new object. Admission may set them later. */
export function clearSystemMetadata(metadata: ObjectMeta): void {
  for (const field of SYSTEM_FIELDS) if (metadata[field] !== undefined) delete metadata[field];
}

const SYSTEM_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** Sets the fields that only the server decides in a new object. */
export function fillNewMetadata(
  object: KubernetesObject,
  resource: ServedResource,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): void {
  const { metadata } = object;
  metadata.uid = random.uuid();
  metadata.creationTimestamp = formatTime(clock.now());
  delete metadata.selfLink;
  if (resource.rules.tracksGeneration) metadata.generation = 1;
  if (!metadata.name && metadata.generateName) metadata.name = generateName(metadata.generateName, random);
}

/** `web-` becomes `web-x7k2p`. Cuts a long base, so that the name has at most 63 characters. */
export function generateName(base: string, random: Random): string {
  return `${base.slice(0, MAX_GENERATED_BASE)}${generatedSuffix(random)}`;
}

/** Returns five random characters. */
export function generatedSuffix(random: Random): string {
  let suffix = '';
  for (let i = 0; i < GENERATED_SUFFIX_LENGTH; i++)
    suffix += NAME_SUFFIX_ALPHABET[random.below(NAME_SUFFIX_ALPHABET.length)];
  return suffix;
}

/** Restores the fields that an update cannot change. */
export function restoreSystemMetadata(next: ObjectMeta, previous: ObjectMeta): void {
  carry(next, previous, 'creationTimestamp');
  carry(
    next,
    previous,
    'deletionTimestamp',
    previous.deletionTimestamp === undefined && next.deletionTimestamp !== undefined,
  );
  carry(next, previous, 'deletionGracePeriodSeconds', next.deletionGracePeriodSeconds !== undefined);
  next.uid ??= previous.uid!;
  if (previous.generation === undefined) delete next.generation;
  else next.generation = previous.generation;
}

function carry<K extends keyof ObjectMeta>(next: ObjectMeta, previous: ObjectMeta, key: K, unless = false): void {
  if (unless) return;
  if (previous[key] === undefined) delete next[key];
  else next[key] = previous[key];
}
