import type { Node, NodeSelector, NodeSelectorRequirement } from '@pintle/kinds/core/v1';

/** One of the terms holds, with all of its expressions. A term without any matches nothing. */
export function matchesNodeSelector({ nodeSelectorTerms = [] }: NodeSelector, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const fields = { 'metadata.name': node.metadata.name ?? '' };
  return nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((requirement) => matches(requirement, labels)) &&
      matchFields.every((requirement) => matches(requirement, fields))
    );
  });
}

function matches(
  { key, operator, values = [] }: NodeSelectorRequirement,
  found: Readonly<Record<string, string>>,
): boolean {
  const value = found[key ?? ''];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(text: string | undefined): boolean {
  return text !== undefined && /^-?\d{1,15}$/.test(text);
}
