import type { KubernetesObject } from '@pintle/machinery';

/** Kinds that other objects need, in order. */
const FIRST: readonly string[] = [
  'Namespace',
  'CustomResourceDefinition',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'IngressClass',
  'ServiceAccount',
];
const POLICIES: readonly string[] = [
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicyBinding',
];

/**
 * Sorts objects so that each follows those it needs: namespaces, CRDs, objects that are referred to by name, parameters of
 * policies, policies, and then all others as they were written.
 */
export function inOrder<T>(items: readonly T[], objectOf: (item: T) => KubernetesObject): T[] {
  const parameters = new Set(items.flatMap((item) => parameterKind(objectOf(item))));
  const rank = (item: T): number => {
    const { apiVersion, kind } = objectOf(item);
    const [first, policy] = [FIRST.indexOf(kind), POLICIES.indexOf(kind)];
    if (first >= 0) return first;
    if (parameters.has(`${apiVersion} ${kind}`)) return FIRST.length;
    return policy >= 0 ? FIRST.length + 1 + policy : FIRST.length + 1 + POLICIES.length;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function parameterKind(object: KubernetesObject): string[] {
  if (!POLICIES.includes(object.kind)) return [];
  const { spec } = object as { spec?: { paramKind?: { apiVersion?: string; kind?: string } } };
  const { apiVersion, kind } = spec?.paramKind ?? {};
  return apiVersion !== undefined && kind !== undefined ? [`${apiVersion} ${kind}`] : [];
}
