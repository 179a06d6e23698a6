import type { GroupResource } from '@pintle/machinery';
import type { KeyRange } from '@pintle/store';
import { prefixRange } from '@pintle/store';

/**
 * Where objects live in the store: `group/resource/namespace/name`, without the namespace for cluster-scoped
 * resources. Every segment is checked, so no name can reach into another resource or namespace.
 */
export function objectKey(resource: GroupResource, namespace: string, name: string): string {
  return `${collectionPrefix(resource, namespace)}${segment(name)}`;
}

/** All objects of a resource, or those in one namespace. */
export function collectionRange(resource: GroupResource, namespace: string): KeyRange {
  return prefixRange(collectionPrefix(resource, namespace));
}

/** An object's name as the end of its key has it. */
export function nameInKey(name: string): string {
  return withoutNul(name);
}

/** The names in an object's key, where `scope` is that of its resource. */
export function namesInKey(key: string, scope: 'Cluster' | 'Namespaced'): { namespace: string; name: string } {
  const [, , ...names] = key.split('/', 4).map(withNul);
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
  return text.includes('\0') || text.includes('\x01') ? withoutNul(text) : text;
}

/** Stores take no NUL. Where people may ask for one it becomes two characters, and keys stay distinct and in order. */
function withoutNul(text: string): string {
  return text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
}

function withNul(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01') : text;
}
