import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Client } from '@pintle/client';
import { deepEqual, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { ChanceNames } from './chance-names.ts';

/** A resource whose objects are compared. */
export interface WorldResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** One object as it is compared: its fields by path, without those that differ by chance. */
export interface WorldObject {
  readonly fields: ReadonlyMap<string, string>;
  /** Object as the server returned it. */
  readonly object: JsonObject;
}

/** All objects of some resources at one time, by `configmaps default/apple-label`. */
export type World = ReadonlyMap<string, WorldObject>;

/** Fields of metadata that the server sets. */
const OWN_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'managedFields',
  'selfLink',
  'deletionGracePeriodSeconds',
]);
/** Annotation that the explorer sets to cause a conflict. */
export const TOUCHED = 'explore.pintle.dev/touched';
/** Resources and fields that depend on the history of an object, not on its state alone. */
const HISTORY_RESOURCES: ReadonlySet<string> = new Set(['controllerrevisions.apps']);
const HISTORY_FIELDS: ReadonlySet<string> = new Set([
  'status.currentRevision',
  'status.updateRevision',
  'status.collisionCount',
  'metadata.annotations.deployment.kubernetes.io/revision',
  'metadata.annotations.deployment.kubernetes.io/revision-history',
]);
const TEMPLATE_HASHES = ['pod-template-hash', 'controller-revision-hash'];
/** Value of every time. */
export const A_TIME = '(a time)';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Volumes of tokens, whose names admission generates. */
const TOKEN_VOLUME = /^(kube-api-access-)\w{5}$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Reads all objects of the resources. `generated` has names that the server generated, with what they begin with: `web-*`;
 * `names` has those that the operator makes of what differs by chance.
 */
export async function readWorld(
  client: Client,
  resources: Iterable<WorldResource>,
  generated: ReadonlyMap<string, string> = new Map(),
  names: ChanceNames = ChanceNames.none,
): Promise<World> {
  const found: Found[] = [];
  const kinds = new Set<string>();
  for (const { group, version, resource } of resources) {
    if (HISTORY_RESOURCES.has(`${resource}.${group}`)) continue;
    const path = group === '' ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`;
    const list = (await client.call({ method: 'GET', path })) as ObjectList;
    kinds.add(list.kind.replace(/List$/, ''));
    const word = `${resource}${group && `.${group}`}`;
    for (const object of list.items ?? []) found.push({ key: `${word} ${placeOf(object)}`, object });
  }
  return worldOf(found, kinds, generated, names);
}

interface Found {
  readonly key: string;
  readonly object: JsonObject;
}

interface ObjectList {
  readonly kind: string;
  readonly items?: readonly JsonObject[];
}

function worldOf(
  all: readonly Found[],
  kinds: ReadonlySet<string>,
  known: ReadonlyMap<string, string>,
  chance: ChanceNames,
): World {
  const uids = new Set(all.map(({ object }) => metadataOf(object).uid));
  const found = all.filter(({ object }) => !isGarbage(object, uids, kinds));
  const generated = new Map(known);
  for (const { key, object } of found) {
    const { name, generateName, labels } = metadataOf(object);
    if (typeof name !== 'string') continue;
    const pattern = chance.of(key);
    if (pattern !== undefined) generated.set(name, pattern);
    if (typeof generateName === 'string' && isMadeUp(name, generateName)) generated.set(name, `${generateName}*`);
    for (const label of TEMPLATE_HASHES) {
      const hash = isJsonObject(labels) ? labels[label] : undefined;
      if (typeof hash !== 'string') continue;
      generated.set(hash, '*');
    }
  }
  // A name may contain another: the longest is replaced first.
  const names = new Map([...generated].sort(([a], [b]) => b.length - a.length));
  const alive = new Set(found.map(({ object }) => metadataOf(object).name));
  const texts: Texts = {
    names: new Map(
      [...names].map(([name, pattern]) => [name, known.has(name) && !alive.has(name) ? `${pattern} (gone)` : pattern]),
    ),
    uids: new Map(
      found.map(({ key, object }) => [String(metadataOf(object).uid), `(the uid of ${renamed(key, names)})`]),
    ),
  };
  const world: [string, WorldObject][] = found.map(({ key, object }) => {
    const fields = new Map<string, string>();
    flatten(withoutChance(object, uids), '', fields, texts);
    for (const field of fields.keys()) if (isChance(key, field)) fields.delete(field);
    return [renamed(key, names), { fields, object }];
  });
  return numbered(world);
}

/** True for fields that depend on other objects of the cluster: ports, nodes, and what a node reports of a pod. */
function isChance(key: string, field: string): boolean {
  if (field.endsWith('.nodePort') || field === 'spec.healthCheckNodePort') return true;
  if (key.includes('.apps ')) return HISTORY_FIELDS.has(field);
  if (!key.startsWith('pods ')) return false;
  return field === 'spec.nodeName' || (field.startsWith('status.') && field !== 'status.phase');
}

/** True when the server generated the name; pods of a StatefulSet have a number instead. */
function isMadeUp(name: string, generateName: string): boolean {
  return name.startsWith(generateName) && name.length === generateName.length + 5;
}

/** True when all owners are gone: the garbage collector would delete it, whether one runs or not. */
function isGarbage(object: JsonObject, uids: ReadonlySet<unknown>, kinds: ReadonlySet<string>): boolean {
  const { ownerReferences } = metadataOf(object);
  if (!Array.isArray(ownerReferences) || ownerReferences.length === 0) return false;
  return ownerReferences.every(
    (owner) => isJsonObject(owner) && typeof owner.kind === 'string' && kinds.has(owner.kind) && !uids.has(owner.uid),
  );
}

/** Numbers objects with the same generated name by their content. */
function numbered(world: [string, WorldObject][]): World {
  const text = ([key, { fields }]: [string, WorldObject]): string => `${key}\n${JSON.stringify([...fields])}`;
  const sorted = world.map((each) => [text(each), each] as const).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const result = new Map<string, WorldObject>();
  for (const [, [key, object]] of sorted) {
    let unique = key;
    for (let nth = 2; result.has(unique); nth++) unique = `${key}(${nth})`;
    result.set(unique, object);
  }
  return result;
}

/**
 * Returns the objects of either world that were replaced, or that have another spec or data, exactly as the server returned them:
 * another time or password is a change too.
 */
export function changedObjects(before: World, after: World): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => {
    const [one, other] = [before.get(key)?.object, after.get(key)?.object];
    return one === undefined || other === undefined || !deepEqual(wantedOf(one), wantedOf(other));
  });
}

function wantedOf(object: JsonObject): JsonObject {
  const { metadata: _metadata, status: _status, ...wanted } = object;
  const { uid = '' } = metadataOf(object);
  return { ...wanted, uid };
}

/** Returns a digest of the compared fields. */
export function digestOf(world: World, isCompared: (key: string, field: string) => boolean): string {
  const lines = [...world].flatMap(([key, { fields }]) =>
    [...fields].filter(([field]) => isCompared(key, field)).map(([field, value]) => `${key} ${field}=${value}`),
  );
  return hash('sha256', lines.join('\n'), 'base64');
}

function withoutChance(object: JsonObject, uids: ReadonlySet<unknown>): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = object;
  const metadata = metadataOf(object);
  const kept: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(metadata))
    if (!OWN_METADATA.has(name) && value !== undefined) kept[name] = value;
  if (kept.deletionTimestamp !== undefined) kept.deletionTimestamp = 'set';
  // A set: the order in which finalizers were added has no meaning.
  if (Array.isArray(kept.finalizers)) kept.finalizers = kept.finalizers.toSorted();
  if (isJsonObject(kept.annotations) && TOUCHED in kept.annotations) {
    const { [TOUCHED]: _touched, ...annotations } = kept.annotations;
    if (Object.keys(annotations).length > 0) kept.annotations = annotations;
    else delete kept.annotations;
  }
  if (Array.isArray(kept.ownerReferences)) kept.ownerReferences = ownersOf(kept.ownerReferences, uids);
  const generation = metadata.generation;
  return withObserved({ metadata: kept, ...rest }, generation) as JsonObject;
}

/** Returns owners as a set. The garbage collector removes those that are gone while others are there. */
function ownersOf(references: readonly JsonValue[], uids: ReadonlySet<unknown>): JsonValue[] {
  const owners = references.map((reference) =>
    isJsonObject(reference) ? { ...reference, uid: uids.has(reference.uid) ? 'present' : 'gone' } : reference,
  );
  const present = owners.filter((owner) => isJsonObject(owner) && owner.uid === 'present');
  return (present.length > 0 ? present : owners).toSorted((a, b) => (ownerKey(a) < ownerKey(b) ? -1 : 1));
}

function ownerKey(reference: JsonValue): string {
  return isJsonObject(reference) ? `${String(reference.kind)} ${String(reference.name)}` : '';
}

/** Replaces observed generations by whether they are current: generations differ between runs. */
function withObserved(value: JsonValue, generation: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withObserved(each, generation));
  if (!isJsonObject(value)) return value;
  const result: Record<string, JsonValue> = {};
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    result[name] =
      name === 'observedGeneration' ? (each === generation ? 'current' : 'behind') : withObserved(each, generation);
  }
  return result;
}

/** Replacements in texts: a reference to an object that is there differs from one to an object that is gone. */
interface Texts {
  readonly names: ReadonlyMap<string, string>;
  readonly uids: ReadonlyMap<string, string>;
}

function flatten(value: JsonValue | undefined, path: string, into: Map<string, string>, texts: Texts): void {
  if (Array.isArray(value)) {
    if (value.length === 0) into.set(path, '[]');
    const types = typesOf(value);
    for (const [index, each] of value.entries())
      flatten(each, types === undefined ? `${path}.${index}` : `${path}[${types[index]}]`, into, texts);
  } else if (isJsonObject(value)) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) into.set(path, '{}');
    for (const [name, each] of entries) flatten(each, path === '' ? name : `${path}.${name}`, into, texts);
  } else into.set(path, typeof value === 'string' ? withoutNames(value, texts) : String(value));
}

/** Returns the types of a list's items, as conditions have them; `undefined` unless each item has its own. */
function typesOf(list: readonly JsonValue[]): string[] | undefined {
  const types = list.flatMap((item) => (isJsonObject(item) && typeof item.type === 'string' ? [item.type] : []));
  return types.length === list.length && new Set(types).size === types.length ? types : undefined;
}

function withoutNames(text: string, { names, uids }: Texts): string {
  if (TIME.test(text)) return A_TIME;
  if (isIP(text) !== 0) return '(an address)';
  return renamed(text, names)
    .replaceAll(UUID, (uid) => uids.get(uid) ?? '(a uid)')
    .replace(TOKEN_VOLUME, '$1*');
}

function renamed(text: string, generated: ReadonlyMap<string, string>): string {
  let result = text;
  for (const [name, pattern] of generated) if (result.includes(name)) result = result.replaceAll(name, pattern);
  return result;
}

/** Returns a value as its readers see it: the data of Secrets is decoded. */
export function readable(object: string, field: string, value: string | undefined): string | undefined {
  return value !== undefined && object.startsWith('secrets ') && field.startsWith('data.')
    ? Buffer.from(value, 'base64').toString()
    : value;
}

function metadataOf(object: JsonObject): JsonObject {
  return isJsonObject(object.metadata) ? object.metadata : {};
}

function placeOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return `${typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : ''}${String(name ?? '')}`;
}
