import type { GroupVersionResource } from '@pintle/machinery';
import type { AdmissionRequest } from '../../resource/admission-request.ts';

/** The resource that was asked for. */
export function resourceOf({ call: { info } }: AdmissionRequest): GroupVersionResource {
  return { group: info.group, version: info.version, resource: info.resource };
}

/** Namespaces lie in themselves, as far as those who are asked about them know. */
export function namespaceOf(request: AdmissionRequest): string {
  return isNamespaces(request) ? request.name : request.namespace;
}

export function isNamespaces({ call: { info } }: AdmissionRequest): boolean {
  return info.group === '' && info.resource === 'namespaces';
}

/** Who deletes a collection names no object; those that go are told by what they were. */
export function nameOf({ call, name }: AdmissionRequest): string {
  return call.info.verb === 'deletecollection' ? '' : name;
}

/** What refusals call the object: by its name, or by what is known of it before it has one. */
export function subjectName(request: AdmissionRequest): string {
  const { name, generateName } = request.object?.metadata ?? {};
  return nameOf(request) || name || generateName || 'Unknown';
}
