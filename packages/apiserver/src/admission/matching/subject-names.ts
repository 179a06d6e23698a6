import type { GroupVersionResource } from '@pintle/machinery';
import type { AdmissionRequest } from '../../resource/admission-request.ts';

export function resourceOf({ context: { info } }: AdmissionRequest): GroupVersionResource {
  return { group: info.group, version: info.version, resource: info.resource };
}

/** Returns the namespace of a request; for a Namespace object, its own name, as Kubernetes has it. */
export function namespaceOf(request: AdmissionRequest): string {
  return isNamespaces(request) ? request.name : request.namespace;
}

export function isNamespaces({ context: { info } }: AdmissionRequest): boolean {
  return info.group === '' && info.resource === 'namespaces';
}

/** Returns the name of the object; empty for deletecollection, as in Kubernetes. */
export function nameOf({ context, name }: AdmissionRequest): string {
  return context.info.verb === 'deletecollection' ? '' : name;
}

/** Returns the name that refusals show: that of the object, or its `generateName` before it has one. */
export function subjectName(request: AdmissionRequest): string {
  const { name, generateName } = request.object?.metadata ?? {};
  return nameOf(request) || name || generateName || 'Unknown';
}
