import type { Clock } from '@pintle/async';
import type { Client, ObjectRef, WriteOptions } from '@pintle/client';
import { genericMergePatch } from '@pintle/client';
import type { KubernetesObject, ManagedFieldsEntry, ResourceType } from '@pintle/machinery';
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { asJson, deepEqual, isJsonObject } from '@pintle/machinery/json';
import { findRegistrant } from './find-registrant.ts';

/** Annotation with the previous value, so that any later process can restore it, even after a crash. */
const BEFORE = 'pintle.dev/webhooks-before';

/** Value before a temporary registration. */
interface Before {
  /** URL of the process that registered temporarily. */
  readonly url: string;
  /** True when the process created the object. */
  readonly isNew?: boolean;
  readonly value?: JsonValue;
  /** Field managers of the value, with their fields. */
  readonly owners?: readonly Owner[];
}

interface Owner extends Omit<ManagedFieldsEntry, 'fieldsV1' | 'fieldsType'> {
  readonly fields: JsonObject;
}

/** Field of an object that registers webhooks. */
export interface RegistrationField<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly ref: ObjectRef;
  readonly path: readonly ['webhooks'] | readonly ['spec', 'conversion'];
}

interface TemporaryOptions {
  readonly client: Client;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

const TRIES = 10;

/** Outcome of a registration. `url` is that of another process, which runs and stays registered. */
export type Written = 'written' | 'missing' | { readonly url: string };

interface WriteTemporarilyOptions extends TemporaryOptions {
  readonly url: string;
  readonly createsMissing: boolean;
  /** True writes only when this process is not registered. */
  readonly isRepair: boolean;
}

/**
 * Writes a value while a process serves `url`, and stores beside it what was there before the first such process. Leaves the
 * registration of another process that runs: processes take turns.
 */
export async function writeTemporarily<T extends KubernetesObject>(
  field: RegistrationField<T>,
  value: JsonValue,
  { url, createsMissing, isRepair, ...options }: WriteTemporarilyOptions,
): Promise<Written> {
  const { client } = options;
  return await untilWritten(async () => {
    const live = await client.find(field.type, field.ref, callOptions(options));
    if (live === undefined) {
      if (createsMissing) await create(field, value, { url, isNew: true }, options);
      return createsMissing ? 'written' : 'missing';
    }
    const present = valueAt(live, field.path);
    const known = beforeOf(live);
    const isRegistered = known !== undefined && isAt(known.url, present);
    if (isRepair && known?.url === url && isNamed(url, present) === isNamed(url, value)) return 'written';
    if (isRegistered && known.url !== url && (await isTaken(known.url, present, isRepair, options)))
      return { url: known.url };
    // A value that another writer has put there since is the one to restore.
    const before = isRegistered ? known : { value: present, owners: ownersOf(live, field.path) };
    const annotations = { [BEFORE]: JSON.stringify({ ...before, url }) };
    await patch(field, live, { annotations }, value, options);
    return 'written';
  });
}

/** A process that starts replaces one that cannot be reached; one that runs does not, so that two do not take turns for ever. */
async function isTaken(
  url: string,
  value: JsonValue | undefined,
  isRepair: boolean,
  { clock, signal }: TemporaryOptions,
): Promise<boolean> {
  const authorities = authoritiesIn(value);
  if (authorities === undefined) return false;
  const found = await findRegistrant({ url, authorities }, { clock, signal });
  return found === 'running' || (found === 'silent' && isRepair);
}

/** Returns the certificate authorities of a registration. */
function authoritiesIn(value: JsonValue | undefined): string | undefined {
  const [, text] = /"caBundle":"([A-Za-z\d+/=]*)"/.exec(JSON.stringify(value ?? null)) ?? [];
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString();
}

/** True when a value registers `url`, or nothing, as that of an operator without webhooks. */
function isAt(url: string, value: JsonValue | undefined): boolean {
  if (Array.isArray(value) && value.length === 0) return true;
  return isNamed(url, value);
}

function isNamed(url: string, value: JsonValue | undefined): boolean {
  return JSON.stringify(value ?? null).includes(`"url":"${url}/`);
}

/**
 * Restores an object as it was before a temporary registration: by the process at `url`, or by any process that no longer
 * runs. Keeps values that another writer has written since. `keepsCreated` is for a caller that writes the object again: keeps
 * it even though the process created it, and replaces processes that run. Does nothing when reading the object is forbidden.
 */
export async function restore<T extends KubernetesObject>(
  field: RegistrationField<T>,
  {
    url,
    keepsCreated = false,
    ...options
  }: TemporaryOptions & { readonly url?: string; readonly keepsCreated?: boolean },
): Promise<void> {
  const { client } = options;
  await untilWritten(async () => {
    const live = await client.find(field.type, field.ref, callOptions(options)).catch(unlessForbidden);
    const before = live && beforeOf(live);
    if (live === undefined || before === undefined || (url !== undefined && before.url !== url)) return;
    const present = valueAt(live, field.path);
    const isUntouched = isAt(before.url, present);
    if (url === undefined && !keepsCreated && isUntouched && (await isTaken(before.url, present, false, options)))
      return;
    if (before.isNew && isUntouched && !keepsCreated && (await remove(field, live, options))) return;
    const emptied = before.isNew ? [] : (before.value ?? null);
    const annotations = { [BEFORE]: null };
    const value = isUntouched ? emptied : (present ?? null);
    const restored = await patch(field, live, { annotations }, value, options);
    if (isUntouched && !before.isNew) await restoreOwners(field, restored, before.owners ?? [], options);
  });
}

function unlessForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}

async function untilWritten<R>(attempt: () => Promise<R>): Promise<R> {
  for (let left = TRIES; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !(isConflict(error) || isAlreadyExists(error) || isNotFound(error))) throw error;
    }
  }
}

async function create<T extends KubernetesObject>(
  { type, ref, path }: RegistrationField<T>,
  value: JsonValue,
  before: Before,
  options: TemporaryOptions,
): Promise<void> {
  const metadata = { name: ref.name, annotations: { [BEFORE]: JSON.stringify(before) } };
  await options.client.create(type, { metadata, [path[0]]: value } as unknown as T, writeOptions(options));
}

/** Resolves with false when deleting is forbidden. */
async function remove<T extends KubernetesObject>(
  { type, ref }: RegistrationField<T>,
  { metadata: { uid, resourceVersion } }: T,
  { client, signal }: TemporaryOptions,
): Promise<boolean> {
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  try {
    await client.delete(type, ref, { preconditions, ...(signal && { signal }) });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isForbidden(error)) return false;
    throw error;
  }
}

async function patch<T extends KubernetesObject>(
  { type, ref, path }: RegistrationField<T>,
  live: T,
  metadata: object,
  value: JsonValue,
  options: TemporaryOptions,
): Promise<T> {
  const { resourceVersion } = live.metadata;
  const changed = replacing(valueAt(live, path), value);
  const at = path.length === 1 ? { webhooks: changed } : { spec: { conversion: changed } };
  const body = { metadata: { ...metadata, resourceVersion }, ...at };
  return await options.client.patch(type, ref, genericMergePatch<T>(body), writeOptions(options));
}

/** Returns a merge patch that replaces the whole value. */
function replacing(present: JsonValue | undefined, wanted: JsonValue): JsonValue {
  if (!isJsonObject(present) || !isJsonObject(wanted)) return wanted;
  const names = new Set([...Object.keys(present), ...Object.keys(wanted)]);
  const entries = [...names].map((name) => {
    const value = Object.hasOwn(wanted, name) ? wanted[name]! : null;
    return [name, replacing(Object.hasOwn(present, name) ? present[name] : undefined, value)] as const;
  });
  return Object.fromEntries(entries);
}

/** Restores the field managers: a write that changes nothing else may set managedFields. */
async function restoreOwners<T extends KubernetesObject>(
  { type, ref, path }: RegistrationField<T>,
  live: T,
  owners: readonly Owner[],
  options: TemporaryOptions,
): Promise<void> {
  const { managedFields = [], resourceVersion } = live.metadata;
  const kept = managedFields.filter((entry) => entry.manager !== options.fieldManager).map(withoutField(path));
  for (const { fields, ...owner } of owners) {
    const at = kept.findIndex((entry) => isSameOwner(entry, owner));
    const entry: ManagedFieldsEntry = at >= 0 ? kept[at]! : { ...owner, fieldsType: 'FieldsV1' };
    kept.splice(at >= 0 ? at : kept.length, at >= 0 ? 1 : 0, withField(entry, path, fields));
  }
  if (deepEqual(kept as never, managedFields as never)) return;
  const body = { metadata: { resourceVersion, managedFields: kept } };
  await options.client.patch(type, ref, genericMergePatch<T>(body), writeOptions(options));
}

function beforeOf({ metadata }: KubernetesObject): Before | undefined {
  const text = metadata.annotations?.[BEFORE];
  if (text === undefined) return undefined;
  try {
    const before: unknown = JSON.parse(text);
    return isJsonObject(before) && typeof before.url === 'string' ? (before as unknown as Before) : undefined;
  } catch {
    return undefined;
  }
}

function valueAt(object: KubernetesObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = asJson(object);
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function ownersOf({ metadata: { managedFields = [] } }: KubernetesObject, path: readonly string[]): Owner[] {
  return managedFields.flatMap(({ fieldsV1, fieldsType: _type, ...owner }) => {
    const fields = valueAt((fieldsV1 ?? {}) as never, path.map(fieldName));
    return isJsonObject(fields) ? [{ ...owner, fields }] : [];
  });
}

function isSameOwner(entry: ManagedFieldsEntry, owner: Omit<Owner, 'fields'>): boolean {
  return (['manager', 'operation', 'apiVersion', 'subresource'] as const).every((key) => entry[key] === owner[key]);
}

function withField(entry: ManagedFieldsEntry, path: readonly string[], fields: JsonObject): ManagedFieldsEntry {
  return { ...entry, fieldsV1: withFieldAt((entry.fieldsV1 ?? {}) as JsonObject, path.map(fieldName), fields) };
}

function withoutField(path: readonly string[]): (entry: ManagedFieldsEntry) => ManagedFieldsEntry {
  return (entry) => {
    const fields = (entry.fieldsV1 ?? {}) as JsonObject;
    if (valueAt(fields as never, path.map(fieldName)) === undefined) return entry;
    return { ...entry, fieldsV1: withFieldAt(fields, path.map(fieldName), undefined) };
  };
}

function withFieldAt(
  fields: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonObject | undefined,
): JsonObject {
  const { [name]: present, ...others } = fields;
  const inner = rest.length === 0 ? value : withFieldAt(isJsonObject(present) ? present : {}, rest, value);
  return inner === undefined ? others : { ...others, [name]: inner };
}

function fieldName(name: string): string {
  return `f:${name}`;
}

function callOptions({ signal }: TemporaryOptions): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function writeOptions({ fieldManager, signal }: TemporaryOptions): WriteOptions {
  return { fieldManager, ...(signal && { signal }) };
}
