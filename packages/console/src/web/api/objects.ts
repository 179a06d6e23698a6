/** JSON as the API sends it; integers beyond 2^53 are `bigint`. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: JsonObject;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Conditions of a status, if it has any that look so. Objects are hostile: everything is checked. */
export function conditionsOf(object: KubeObject): Condition[] {
  const conditions = record(object.status)?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((each) => {
    const { type, status, reason, message, lastTransitionTime } = record(each) ?? {};
    if (typeof type !== 'string' || typeof status !== 'string') return [];
    return [
      {
        type,
        status,
        ...(typeof reason === 'string' && { reason }),
        ...(typeof message === 'string' && { message }),
        ...(typeof lastTransitionTime === 'string' && { lastTransitionTime }),
      },
    ];
  });
}

/**
 * Reads an object of the API. The one place where JSON becomes a `KubeObject`: throws where it lacks what every object has,
 * or where its metadata has another form than the page relies on.
 */
export function objectIn(body: unknown): KubeObject {
  const object = record(body);
  const metadata = record(object?.metadata);
  const found = metadata === undefined ? 'it has no metadata' : metadataProblem(metadata);
  if (found !== undefined) throw new TypeError(`Cannot read the object: ${found}`);
  return object as unknown as KubeObject;
}

const METADATA_LISTS = ['ownerReferences', 'finalizers', 'managedFields'];
const METADATA_MAPS = ['labels', 'annotations'];

function metadataProblem(metadata: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof metadata.name !== 'string') return 'metadata.name is not a string';
  const isList = (name: string): boolean => metadata[name] === undefined || Array.isArray(metadata[name]);
  const isMap = (name: string): boolean => metadata[name] === undefined || record(metadata[name]) !== undefined;
  const bad = METADATA_LISTS.find((name) => !isList(name)) ?? METADATA_MAPS.find((name) => !isMap(name));
  return bad === undefined ? undefined : `metadata.${bad} has another type`;
}

/** Returns an object as JSON, which it is. */
export function jsonOf(object: object): Json {
  return object as unknown as Json;
}

/** An event of a watch, before its object is read. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export function watchEventIn(body: unknown): WatchEvent {
  const { type, object } = record(body) ?? {};
  const fields = record(object);
  if (typeof type !== 'string' || fields === undefined) throw new TypeError('Cannot read the event: it has no object');
  return { type, object: fields };
}

/** Metadata of a list. */
export function listMetadataIn(body: unknown): { readonly resourceVersion: string; readonly continue: string } {
  const { resourceVersion, continue: token } = record(record(body)?.metadata) ?? {};
  return {
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continue: typeof token === 'string' ? token : '',
  };
}

export function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The objects of an array; empty where the value is not one. */
export function recordsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  return values.map(record).filter((each) => each !== undefined);
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Time of the last write, as far as the object shows it. */
export function writtenMs({ managedFields = [], creationTimestamp, deletionTimestamp }: ObjectMeta): number {
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
  const latest = Math.max(0, ...times.map((time) => Date.parse(time ?? '') || 0));
  return deletionTimestamp === undefined ? latest : Math.max(latest, 0);
}
