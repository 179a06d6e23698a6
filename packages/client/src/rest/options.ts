import type { KubernetesObject } from '@pintle/machinery';

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How long the server and the way to it may take. Default: the client's. A watch has none. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends CallOptions {
  /** `'0'`: any version the server has at hand. Default: the newest. */
  readonly resourceVersion?: string;
}

export interface SelectOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** As kubectl's `-l`: `app=web,tier!=cache`. */
  readonly labelSelector?: string;
  /** As kubectl's `--field-selector`: `status.phase=Running`. */
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions, CallOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends SelectOptions {
  readonly signal?: AbortSignal;
  /** Deliver what happened after it. Default: begin with the objects as they stand. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  /**
   * `true`: begin with the objects as they stand, and say when that is done by a bookmark. `false`: never do. Servers
   * want `resourceVersionMatch` with either.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number;
  /** Called when the server has begun to answer, which may be long before the first event. */
  readonly onOpen?: () => void;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** What the server does with fields it does not know. Default: it warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** `status`, `scale`: the part of the object that is written. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields that others own. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Delete nothing but exactly this. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** A patch and its kind. */
export type Patch<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: MergePatch<T> }
  | { readonly type: 'strategic'; readonly body: StrategicPatch<T> };

/**
 * The body of a merge patch of an object: any of its fields, and `null` for one that is to go. A list takes the place
 * of the one that was. Of a kind that is known only when the program runs, anything.
 */
export type MergePatch<T extends KubernetesObject> = IsAnyKind<T> extends true ? object : Merge<T>;

/**
 * Returns a merge patch for objects of a kind that only a type parameter names: the compiler cannot look into its fields
 * there, so whoever calls vouches for them.
 */
export function genericMergePatch<T extends KubernetesObject>(
  body: object,
): { readonly type: 'merge'; readonly body: MergePatch<T> } {
  return { type: 'merge', body: body as MergePatch<T> };
}

/**
 * As a merge patch, but items of lists are merged by their keys, so that they may be incomplete, and directives such as
 * `$patch` may stand beside fields.
 */
export type StrategicPatch<T extends KubernetesObject> = IsAnyKind<T> extends true ? object : StrategicMerge<T>;

/** Nothing is known of its objects but what all have. */
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

/** Keys that may stand beside the fields of an object. A record has keys of any name. */
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

/** The options that travel in a query, as the API spells them. */
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

/** Nothing in it has to be encoded, as in most that is sent. */
function isPlain(text: string): boolean {
  return /^[\w.-]*$/.test(text);
}

function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

const QUERY_NAMES = [
  'labelSelector',
  'fieldSelector',
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
