import type { ResourceType } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';

/** Kubernetes keeps the objects of these groups under the group's name, and names them so in errors. */
const EXTENSION_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Kubernetes keeps the objects of these kinds under the name that they had first, and names them so in errors. */
const FORMER_NAMES: Readonly<Record<string, string>> = table({
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  services: 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
});

/** The name under which Kubernetes keeps the objects of a resource. */
export function storageName({ type, isCustom }: { readonly type: ResourceType; readonly isCustom: boolean }): string {
  if (isCustom || EXTENSION_GROUPS.has(type.group)) return `${type.group}/${type.plural}`;
  return FORMER_NAMES[type.group === '' ? type.plural : `${type.group}/${type.plural}`] ?? type.plural;
}

/** How Kubernetes' store refuses a write to an object of another uid; clients see it in conflicts. */
export function preconditionFailed(key: string, wanted: string, found: string): string {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
}
