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

export function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** When an object was last written, as far as it says so itself. */
export function writtenMs({ managedFields = [], creationTimestamp, deletionTimestamp }: ObjectMeta): number {
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
  const latest = Math.max(0, ...times.map((time) => Date.parse(time ?? '') || 0));
  return deletionTimestamp === undefined ? latest : Math.max(latest, 0);
}
