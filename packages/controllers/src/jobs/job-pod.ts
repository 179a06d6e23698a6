import type { NewObject } from '@pintle/client';
import { Job } from '@pintle/kinds/batch/v1';
import type { Container, Pod } from '@pintle/kinds/core/v1';
import { controllerRef } from '../common/owners.ts';
import { podFromTemplate } from '../common/pods.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';
import {
  COMPLETION_INDEX,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  ignoredIndexFailuresOf,
  indexFailuresOf,
  TRACKING,
} from './tracked-pod.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Length of a name prefix: a label value has 63 characters, of which the server generates five. */
const MAX_PREFIX = 58;

/** Returns the next pod of a Job; for an indexed Job, the one with this index. */
export function newPod(snapshot: JobSnapshot, index: number | undefined): NewObject<Pod> {
  const { job, spec } = snapshot;
  const pod = podFromTemplate(spec.template, job, controllerRef(Job, job));
  const finalizers = [...(pod.metadata.finalizers ?? []).filter((name) => name !== TRACKING), TRACKING];
  const created = { ...pod, metadata: { ...pod.metadata, finalizers } };
  return index === undefined ? created : withIndex(created, snapshot, index);
}

function withIndex(pod: NewObject<Pod>, snapshot: JobSnapshot, index: number): NewObject<Pod> {
  const { name = '' } = snapshot.job.metadata;
  const { metadata, spec = { containers: [] } } = pod;
  const { containers = [], initContainers } = spec;
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: prefixOf(name, index),
      labels: { ...metadata.labels, [COMPLETION_INDEX]: `${index}` },
      annotations: { ...metadata.annotations, [COMPLETION_INDEX]: `${index}`, ...failuresBefore(snapshot, index) },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers: containers.map(withIndexVariable),
      ...(initContainers && { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
}

function prefixOf(name: string, index: number): string {
  const suffix = `-${index}-`;
  return name.slice(0, Math.max(0, MAX_PREFIX - suffix.length)) + suffix;
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom }] };
}

/** Returns the annotations that carry over the failure counts of the pods that it replaces. */
function failuresBefore(
  { spec, failedIndexes, awaitingReplacement }: JobSnapshot,
  index: number,
): Record<string, string> {
  if (failedIndexes === undefined) return {};
  const replaced = awaitingReplacement.get(index);
  if (replaced === undefined) return { [INDEX_FAILURES]: '0' };
  const { isCounted } = matchFailurePolicy(spec.podFailurePolicy, replaced);
  const ignored = ignoredIndexFailuresOf(replaced) + (isCounted ? 0 : 1);
  return {
    [INDEX_FAILURES]: `${indexFailuresOf(replaced) + (isCounted ? 1 : 0)}`,
    ...(ignored > 0 && { [INDEX_IGNORED_FAILURES]: `${ignored}` }),
  };
}
