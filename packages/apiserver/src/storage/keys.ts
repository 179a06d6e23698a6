import type { GroupResource } from '@pintle/machinery';
import type { KeyRange } from '@pintle/store';
import { prefixRange } from '@pintle/store';

/**
 * Returns the storage key of an object: `group/resource/namespace/name`, without the namespace for cluster-scoped
 * resources. Every segment is checked, so that no name can reach into another resource or namespace.
 */
export function objectKey(resource: GroupResource, namespace: string, name: string): string {
  return `${collectionPrefix(resource, namespace)}${segment(name)}`;
}

/** Returns the range of all objects of a resource, or of those in one namespace. */
export function collectionRange(resource: GroupResource, namespace: string): KeyRange {
  return prefixRange(collectionPrefix(resource, namespace));
}

/** Returns the last segment of a key. */
export function nameInKey(name: string): string {
  return escapeName(name);
}

/** Returns the namespace and name in a key; `scope` is that of the resource. */
export function namesInKey(key: string, scope: 'Cluster' | 'Namespaced'): { namespace: string; name: string } {
  const [, , ...names] = key.split('/', 4).map(unescapeName);
  return scope === 'Cluster'
    ? { namespace: '', name: names[0] ?? '' }
    : { namespace: names[0] ?? '', name: names[1] ?? '' };
}

export function collectionPrefix(resource: GroupResource, namespace: string): string {
  const all = `${resource.group === '' ? 'core' : segment(resource.group)}/${segment(resource.resource)}/`;
  return namespace === '' ? all : `${all}${segment(namespace)}/`;
}

function segment(text: string): string {
  if (text === '' || text.includes('/')) {
    throw new RangeError(`Cannot make a storage key: ${JSON.stringify(text)} is not one segment`);
  }
  return text.includes('\0') || text.includes('\x01') ? escapeName(text) : text;
}

/** Escapes NUL, which stores do not accept, as two characters. Keys stay distinct and in order. */
export function escapeName(text: string): string {
  return text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
}

/** Inverse of `escapeName`. */
export function unescapeName(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01') : text;
}
