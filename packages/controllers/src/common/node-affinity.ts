import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@pintle/kinds/core/v1';

/** True when the pod's node selector and required node affinity match the node. */
export function matchesNodeAffinity({ nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesNodeSelectorTerm(term, node))
  );
}

/** An empty term matches no node. */
export function matchesNodeSelectorTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const { labels = {}, name } = metadata;
  return (
    matchExpressions.every((requirement) =>
      matchesRequirement(requirement, Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined),
    ) &&
    matchFields.every((requirement) =>
      matchesRequirement(requirement, requirement.key === 'metadata.name' ? name : undefined),
    )
  );
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && includes(values, value);
    case 'NotIn':
      return value === undefined || !includes(values, value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

/** A short list is searched faster than a set. */
const FEW = 8;
const SETS = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Searches a list of a cached pod, which does not change, for every node. */
function includes(values: readonly string[], value: string): boolean {
  if (values.length <= FEW) return values.includes(value);
  const known = SETS.get(values) ?? new Set(values);
  SETS.set(values, known);
  return known.has(value);
}

function compares(operator: 'Gt' | 'Lt', value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined || !isInteger(value) || !isInteger(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

function isInteger(text: string): boolean {
  return /^-?\d{1,19}$/.test(text);
}
