import { type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { validateDns1123Subdomain, validateLabelKey, validateLabelValue } from '@pintle/machinery/names';
import { table } from '@pintle/machinery/table';
import type { NodeSelector, NodeSelectorRequirement } from '../../generated/core/v1.ts';
import type { LabelSelector } from '../../generated/meta/v1.ts';
import { type Check, problems, sortedEntries } from './checks.ts';

/** Checks a selector of nodes by label and by name. */
export function* checkNodeSelector({ nodeSelectorTerms }: NodeSelector, path: FieldPath): Check {
  const at = path.child('nodeSelectorTerms');
  if (!nodeSelectorTerms?.length) yield required(at, 'must have at least one node selector term');
  for (const [index, { matchExpressions = [], matchFields = [] }] of (nodeSelectorTerms ?? []).entries()) {
    for (const [position, requirement] of matchExpressions.entries())
      yield* checkLabelRequirement(requirement, at.index(index).child('matchExpressions').index(position));
    for (const [position, requirement] of matchFields.entries())
      yield* checkFieldRequirement(requirement, at.index(index).child('matchFields').index(position));
  }
}

function* checkLabelRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): Check {
  const at = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) yield forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      yield invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  yield* validateLabelKey(key, path.child('key'));
  for (const [index, value] of values.entries()) yield* problems(at.index(index), value, validateLabelValue(value));
}

function* checkFieldRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): Check {
  if (operator !== 'In' && operator !== 'NotIn')
    yield invalid(path.child('operator'), operator, 'not a valid selector operator');
  else if (values.length !== 1)
    yield required(
      path.child('values'),
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  if (key !== 'metadata.name') yield invalid(path.child('key'), key, 'not a valid field selector key');
  else
    for (const [index, value] of values.entries())
      yield* problems(path.child('values').index(index), value, validateDns1123Subdomain(value));
}

/** Deprecated labels of nodes, with their replacements. */
export const deprecatedNodeLabels: Readonly<Record<string, string>> = table({
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
});

/** Warns about requirements on nodes that use such a label. */
export function nodeTermWarnings(
  { matchExpressions = [] }: { matchExpressions?: readonly { key: string }[] },
  path: FieldPath,
): string[] {
  return matchExpressions.flatMap(({ key }, index) =>
    nodeLabelWarnings(key, path.child('matchExpressions').index(index).child('key')),
  );
}

/** As `nodeTermWarnings`, for a label selector. */
export function labelSelectorWarnings(selector: LabelSelector | undefined, path: FieldPath): string[] {
  return [
    ...nodeTermWarnings({ matchExpressions: selector?.matchExpressions ?? [] }, path),
    ...sortedEntries(selector?.matchLabels).flatMap(([key]) =>
      Object.hasOwn(deprecatedNodeLabels, key)
        ? [`${path.child('matchLabels', key)}: ${deprecatedNodeLabels[key]}`]
        : [],
    ),
  ];
}

export function nodeLabelWarnings(key: string, path: FieldPath): string[] {
  return Object.hasOwn(deprecatedNodeLabels, key) ? [`${path}: ${key} is ${deprecatedNodeLabels[key]}`] : [];
}
