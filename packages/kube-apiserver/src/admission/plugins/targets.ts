import type { AdmissionOperation, AdmissionRequest } from '@pintle/apiserver/resource';
import { forbiddenError } from '@pintle/machinery/errors';

/** A resource by group and plural: `pods`, `ingresses.networking.k8s.io`. */
export function isWriteOf(
  { call: { info }, operation }: AdmissionRequest,
  resource: string,
  operations: readonly AdmissionOperation[] = ['CREATE'],
  subresource = '',
): boolean {
  if (info.subresource !== subresource || !operations.includes(operation)) return false;
  return (info.group === '' ? info.resource : `${info.resource}.${info.group}`) === resource;
}

/** `pods "web" is forbidden: …`; what has no name yet is called by what its name will begin with. */
export function forbid({ call: { info }, name, object }: AdmissionRequest, why: string): Error {
  const called = name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return forbiddenError({ group: info.group, resource: info.resource }, called, why);
}
