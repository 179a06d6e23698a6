import type { Pod, PodAffinityTerm, PodCondition, TopologySpreadConstraint } from '../../../generated/core/v1.ts';
import type { LabelSelector } from '../../../generated/meta/v1.ts';
import { adoptAppArmorAnnotations } from '../../common/pod/app-armor.ts';
import { dropDisabledPodFields } from '../../common/pod/disabled-fields.ts';
import { qosClassOf } from '../../common/pod/resources.ts';

/** Sets the phase to pending, and the QoS class, which never changes. A class that is sent is not compared with the resources. */
export function preparePod(pod: Pod): void {
  pod.status = { phase: 'Pending', qosClass: qosClassOf(pod) };
  dropDisabledPodFields(pod.spec);
  if ((pod.spec?.schedulingGates ?? []).length > 0) pod.status.conditions = [gatedCondition(pod)];
  narrowSelectors(pod);
  adoptAppArmorAnnotations(pod.metadata, pod.spec);
}

function gatedCondition({ metadata }: Pod): PodCondition {
  return {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    lastProbeTime: null as never,
    lastTransitionTime: (metadata.creationTimestamp ?? null) as never,
  };
}

/** Adds the Pod's labels that `matchLabelKeys` names to the selectors. */
function narrowSelectors({ spec, metadata: { labels = {} } }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const { podAffinityTerm } of preferred) narrow(podAffinityTerm, labels);
    for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) narrow(term, labels);
  }
  for (const constraint of spec?.topologySpreadConstraints ?? []) narrow(constraint, labels);
}

function narrow(term: PodAffinityTerm | TopologySpreadConstraint, labels: Record<string, string>): void {
  if (term.labelSelector === undefined) return;
  addExpressions(term.labelSelector, 'In', term.matchLabelKeys, labels);
  if ('mismatchLabelKeys' in term) addExpressions(term.labelSelector, 'NotIn', term.mismatchLabelKeys, labels);
}

function addExpressions(
  selector: LabelSelector,
  operator: 'In' | 'NotIn',
  keys: readonly string[] | undefined,
  labels: Record<string, string>,
): void {
  for (const key of keys ?? []) {
    if (!Object.hasOwn(labels, key)) continue;
    selector.matchExpressions ??= [];
    selector.matchExpressions.push({ key, operator, values: [labels[key]!] });
  }
}
