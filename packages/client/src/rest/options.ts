import type { KubernetesObject } from '@pintle/machinery';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Timeout of the call. Default: that of the client. Watches have none. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends CallOptions {
  /** `'0'` allows any version, also from a cache. Default: the newest. */
  readonly resourceVersion?: string;
}

export interface SelectOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** As kubectl's `-l`: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** As kubectl's `--field-selector`: `status.phase=Running`. */
  readonly fieldSelector?: string;
  /** Part of the objects (KEP-5866). A server that ignores it answers without `metadata.shardInfo`. */
  readonly shardSelector?: string;
}

export interface ListOptions extends SelectOptions, CallOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends SelectOptions {
  readonly signal?: AbortSignal;
  /** Starts after this version. Default: starts with the current objects. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  /**
   * True sends the current objects first, followed by a bookmark; false never does. Servers require
   * `resourceVersionMatch` with either.
   */
  readonly sendInitialEvents?: boolean;
  /** Time after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  /** Called when the response begins, which may be long before the first event. */
  readonly onOpen?: () => void;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Treatment of unknown fields by the server. Default: Warn. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Part of the object to write: `status`, `scale`. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** True takes over fields that other managers own. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** The server deletes the object only if these match. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Patch and its type. */
export type Patch<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: MergePatch<T> }
  | { readonly type: 'strategic'; readonly body: StrategicPatch<T> };

/**
 * Body of a merge patch: any fields of the object, `null` to remove one. A list replaces the whole list. For kinds that are
 * known only at run time, any object.
 */
export type MergePatch<T extends KubernetesObject> = IsAnyKind<T> extends true ? object : Merge<T>;

/**
 * Returns a merge patch for a kind that is a type parameter: the compiler cannot check its fields, so the caller is
 * responsible for them.
 */
export function genericMergePatch<T extends KubernetesObject>(
  body: object,
): { readonly type: 'merge'; readonly body: MergePatch<T> } {
  return { type: 'merge', body: body as MergePatch<T> };
}

/**
 * Body of a strategic merge patch: items of lists are merged by their keys, and may be incomplete; directives such as `$patch`
 * may appear beside fields.
 */
export type StrategicPatch<T extends KubernetesObject> = IsAnyKind<T> extends true ? object : StrategicMerge<T>;

/** True for `KubernetesObject` itself, of which only the common fields are known. */
type IsAnyKind<T extends KubernetesObject> = [Exclude<keyof T, keyof KubernetesObject>] extends [never] ? true : false;

type Merge<T> = T extends readonly (infer E)[]
  ? readonly E[]
  : T extends object
    ? { readonly [K in keyof T]?: Merge<T[K]> | null | undefined }
    : T;

type StrategicMerge<T> = T extends readonly (infer E)[]
  ? readonly StrategicMerge<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicMerge<T[K]> | null | undefined } & Directives<T>
    : T;

/** Directives beside the fields of an object. Records have none, because their keys may have any name. */
type Directives<T> = string extends keyof T
  ? unknown
  : {
      readonly $patch?: 'replace' | 'merge' | 'delete';
      readonly $retainKeys?: readonly string[];
    } & {
      readonly [K in keyof T & string as
        | `$setElementOrder/${K}`
        | `$deleteFromPrimitiveList/${K}`]?: readonly unknown[];
    };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Returns the query string of the options that the API takes as query parameters. */
export function queryOf(options: object): string {
  let query = '';
  for (const name of QUERY_NAMES) {
    const value = (options as Record<string, unknown>)[name];
    if (value === undefined || value === '' || (value === false && name !== 'sendInitialEvents')) continue;
    const text = name === 'dryRun' ? 'All' : String(value);
    query += `${query === '' ? '' : '&'}${name}=${isPlain(text) ? text : encoded(text)}`;
  }
  return query;
}

/** True when nothing has to be encoded, which is the usual case. */
function isPlain(text: string): boolean {
  return /^[\w.-]*$/.test(text);
}

function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

const QUERY_NAMES = [
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'timeoutSeconds',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
] as const;
