import type { ResourceType, Scope } from '@pintle/machinery';

/** Which object. Cluster-scoped ones have no namespace. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Which object of a kind that is in namespaces: one has to be named. One that turns out to be missing is an error. */
export interface NamespacedRef extends ObjectRef {
  readonly namespace: string | undefined;
}

/** Which object of a kind of this scope. Where the scope is not known, nobody can say whether a namespace is missing. */
export type RefOf<S extends Scope> = Scope extends S ? ObjectRef : S extends 'Namespaced' ? NamespacedRef : ObjectRef;

/** Throws where the kind is in namespaces and none is given: the server would answer that there is no such object. */
export function checkNamespace(
  type: ResourceType,
  { namespace, name }: { namespace?: string | undefined; name?: string },
): void {
  if (type.scope !== 'Namespaced' || namespace) return;
  throw new TypeError(`Cannot find ${type.kind} ${name ?? ''}: it is in a namespace, and none is given`);
}

/**
 * `/apis/apps/v1/namespaces/default/deployments/web/status`. No name can leave its place: servers read a slash that is
 * encoded as one that is not, so what nothing can be called throws TypeError.
 */
export function resourcePath(
  type: ResourceType,
  { namespace, name, subresource }: { namespace?: string | undefined; name?: string; subresource?: string } = {},
): string {
  const root =
    type.group === '' ? `/api/${segment(type.version)}` : `/apis/${segment(type.group)}/${segment(type.version)}`;
  const scoped = namespace && type.scope === 'Namespaced' ? `${root}/namespaces/${segment(namespace)}` : root;
  let path = `${scoped}/${segment(type.plural)}`;
  if (name !== undefined) {
    checkNamespace(type, { namespace, name });
    path += `/${segment(name)}`;
  }
  if (subresource !== undefined) path += `/${subresource.split('/').map(segment).join('/')}`;
  return path;
}

function segment(text: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text))
    throw new TypeError(`Cannot make a path of ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}
