import type { FieldPath } from '@pintle/machinery/errors';
import { table } from '@pintle/machinery/table';
import type { LabelSelector } from '../../generated/meta/v1.ts';
import { sortedEntries } from './checks.ts';

/** Labels of nodes that have other names now. */
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

/** Requirements on nodes that name such a label. */
export function nodeTermWarnings(
  { matchExpressions = [] }: { matchExpressions?: readonly { key: string }[] },
  path: FieldPath,
): string[] {
  return matchExpressions.flatMap(({ key }, index) =>
    nodeLabelWarnings(key, path.child('matchExpressions').index(index).child('key')),
  );
}

/** The same of a selector of labels. */
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
