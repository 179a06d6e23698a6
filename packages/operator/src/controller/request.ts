import type { ObjectMeta, Scope } from '@pintle/machinery';

/** Object to reconcile. */
export interface Request {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Object of a namespaced kind. */
export interface NamespacedRequest extends Request {
  readonly namespace: string;
}

/** Request for a kind of this scope. */
export type RequestOf<S extends Scope> = Scope extends S
  ? Request
  : S extends 'Namespaced'
    ? NamespacedRequest
    : Request;

/** Returns the request of an object. For stored objects of a namespaced kind, it has a namespace. */
export function requestOf<M extends Pick<ObjectMeta, 'namespace' | 'name'>>({
  metadata: { namespace, name = '' },
}: {
  readonly metadata: M;
}): M extends { readonly namespace: string } ? NamespacedRequest : Request {
  const request: Request = { ...(namespace && { namespace }), name };
  return request as M extends { readonly namespace: string } ? NamespacedRequest : Request;
}

export function requestKey({ namespace, name }: Request): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Result of a successful reconcile. Without one, the next change triggers the next reconcile. */
export interface Result {
  /** Reconciles again after this time, also when changes trigger it before. */
  readonly requeueAfterMs?: number;
  readonly priority?: number;
  /** Named `requeueAfterMs` here, in milliseconds. */
  readonly requeueAfter?: UseRequeueAfterMs;
  /** Named `requeueAfterMs` here: 0 reconciles again at once. Throw an error to retry with a growing delay. */
  readonly requeue?: UseRequeueAfterMs;
}

const NAMES_ELSEWHERE = ['requeueAfter', 'requeue'] as const;

/**
 * Returns a result that can be followed. Throws a `TypeError` for what only the compiler refuses, and tests do not compile: a name
 * from elsewhere would be lost, a finalizer removed before its time, and a time that is not a number would run at once, for ever.
 */
export function checkedResult(result: Result | undefined | void): Result | undefined {
  if (result === undefined || result === null) return undefined;
  const name = NAMES_ELSEWHERE.find((each) => result[each]);
  if (name !== undefined)
    throw new TypeError(`Cannot requeue: ${name} has no effect; return { requeueAfterMs }, in milliseconds`);
  const { requeueAfterMs = 0 } = result;
  if (typeof requeueAfterMs !== 'number' || Number.isNaN(requeueAfterMs))
    throw new TypeError(
      `Cannot requeue: requeueAfterMs is ${String(requeueAfterMs)}, and not a number of milliseconds`,
    );
  return result;
}

/** Has no values: its name in the compiler's message tells which field to use. */
export interface UseRequeueAfterMs {
  readonly [useRequeueAfterMs]: never;
}
declare const useRequeueAfterMs: unique symbol;

/** Error that is not retried: something has to change first. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
