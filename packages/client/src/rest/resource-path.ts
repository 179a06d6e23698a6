import type { ResourceType, Scope } from '@pintle/machinery';

/** Identifies an object. Cluster-scoped objects have no namespace. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Identifies an object of a namespaced kind. An `undefined` namespace throws when it is used. */
export interface NamespacedRef extends ObjectRef {
  readonly namespace: string | undefined;
}

/** Identifies an object of a kind of this scope. Where the scope is unknown, the namespace is optional. */
export type RefOf<S extends Scope> = Scope extends S ? ObjectRef : S extends 'Namespaced' ? NamespacedRef : ObjectRef;

/** Throws when the kind is namespaced and no namespace is given; the server would answer with 404. */
export function checkNamespace(
  type: ResourceType,
  { namespace, name }: { namespace?: string | undefined; name?: string },
): void {
  if (type.scope !== 'Namespaced' || namespace) return;
  throw new TypeError(`Cannot find ${type.kind} ${name ?? ''}: the kind is namespaced, and no namespace is given`);
}

/**
 * Returns a path such as `/apis/apps/v1/namespaces/default/deployments/web/status`. Throws a TypeError for names that would
 * change the path: servers treat an encoded slash like a plain one.
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
    throw new TypeError(`Cannot build a path: ${JSON.stringify(text)} is not a valid segment`);
  return encodeURIComponent(text);
}
