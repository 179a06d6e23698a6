import type { ObjectMeta, Scope } from '@pintle/machinery';

/** Which object to look after. */
export interface Request {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Which object of a kind that is in namespaces. */
export interface NamespacedRequest extends Request {
  readonly namespace: string;
}

/** Which object of a kind of this scope. */
export type RequestOf<S extends Scope> = Scope extends S
  ? Request
  : S extends 'Namespaced'
    ? NamespacedRequest
    : Request;

/** The request of an object. That of a stored object of a kind in namespaces has one. */
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

/** What comes after a reconcile that went well. Nothing: the next change does. */
export interface Result {
  /** Look again after so long, whatever happens before. */
  readonly requeueAfterMs?: number;
  readonly priority?: number;
  /** Is written `requeueAfterMs` here, in milliseconds. */
  readonly requeueAfter?: SayRequeueAfterMs;
  /** Is written `requeueAfterMs` here: `requeueAfterMs: 0` looks again at once; an error is tried again, later each time. */
  readonly requeue?: SayRequeueAfterMs;
}

/** Has no values: its name tells, in the compiler's message, how the field is written here. */
export interface SayRequeueAfterMs {
  readonly [sayRequeueAfterMs]: never;
}
declare const sayRequeueAfterMs: unique symbol;

/** Trying again would not help: somebody has to change something first. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
