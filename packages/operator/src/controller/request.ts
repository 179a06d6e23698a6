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
