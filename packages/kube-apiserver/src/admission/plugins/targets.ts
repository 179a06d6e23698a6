import type { AdmissionOperation, AdmissionRequest } from '@pintle/apiserver/resource';
import { forbiddenError } from '@pintle/machinery/errors';

/** True for a write of a resource, given as `pods` or `ingresses.networking.k8s.io`. */
export function isWriteOf(
  { context: { info }, operation }: AdmissionRequest,
  resource: string,
  operations: readonly AdmissionOperation[] = ['CREATE'],
  subresource = '',
): boolean {
  if (info.subresource !== subresource || !operations.includes(operation)) return false;
  return (info.group === '' ? info.resource : `${info.resource}.${info.group}`) === resource;
}

/** Returns `pods "web" is forbidden: …`; an object without a name is called by its `generateName`. */
export function forbid({ context: { info }, name, object }: AdmissionRequest, why: string): Error {
  const called = name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return forbiddenError({ group: info.group, resource: info.resource }, called, why);
}
