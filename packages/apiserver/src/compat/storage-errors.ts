import type { ResourceType } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';

/** Groups whose storage keys, and so errors, have the group's name. */
const EXTENSION_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Resources whose storage keys, and so errors, have a former name. */
const FORMER_NAMES: Readonly<Record<string, string>> = table({
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  services: 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
});

/** Returns the name of a resource in Kubernetes' storage keys. */
export function storageName({ type, isCustom }: { readonly type: ResourceType; readonly isCustom: boolean }): string {
  if (isCustom || EXTENSION_GROUPS.has(type.group)) return `${type.group}/${type.plural}`;
  return FORMER_NAMES[type.group === '' ? type.plural : `${type.group}/${type.plural}`] ?? type.plural;
}

/** Returns the error of Kubernetes' storage for a wrong uid; clients see it in conflicts. */
export function preconditionFailed(key: string, wanted: string, found: string): string {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
}
