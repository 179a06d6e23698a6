import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { dns1123SubdomainName, validateObjectMeta } from '@pintle/machinery/names';
import type { NameRule } from '@pintle/machinery/rules';

/**
 * Some kinds look at an update as at a new object, metadata included. The server has then looked at it already, and what
 * is wrong is reported once more, as Kubernetes does.
 */
export function metadataAgain(
  { metadata }: KubernetesObject,
  scope: 'Cluster' | 'Namespaced' = 'Namespaced',
  nameRule: NameRule = dns1123SubdomainName,
): FieldError[] {
  return validateObjectMeta(metadata, { scope, nameRule, standardFinalizers: true });
}
