import { type FieldError, FieldPath, invalid } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { Job, JobSpec } from '../../../generated/batch/v1.ts';
import type { PodSpec, PodTemplateSpec } from '../../../generated/core/v1.ts';
import { checkUnchanged } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { shownSelector } from '../../common/labels.ts';
import { validateJobSpec } from './spec.ts';
import { hasCondition } from './status.ts';

const path = FieldPath.of('spec');
const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** Most of a Job's spec is fixed. Kubernetes validates the whole spec a second time here, and reports errors twice. */
export function validateJobSpecUpdate(next: Job, previous: Job): FieldError[] {
  const [spec, before] = [next.spec, previous.spec];
  if (spec === undefined || before === undefined) return [];
  return [
    ...validateJobSpec(spec, path),
    ...validateCompletions(spec, before),
    ...checkUnchanged(path.child('selector'), spec.selector, before.selector, shownSelector(spec.selector)),
    ...validateTemplate(spec, previous),
    ...fixed.flatMap((name) => checkUnchanged(path.child(name), spec[name], before[name], shown(spec, name))),
  ];
}

const goTypes: Readonly<Partial<Record<(typeof fixed)[number], string>>> = {
  podFailurePolicy: '*batch.PodFailurePolicy',
  successPolicy: '*batch.SuccessPolicy',
};

function shown(spec: JobSpec, name: (typeof fixed)[number]): unknown {
  const type = goTypes[name];
  return type === undefined ? spec[name] : goForm(spec[name] as object | undefined, type);
}

/** An indexed Job is elastic: completions may follow parallelism. */
function validateCompletions(spec: JobSpec, before: JobSpec): FieldError[] {
  const at = path.child('completions');
  if (spec.completionMode !== 'Indexed') return checkUnchanged(at, spec.completions, before.completions);
  if (spec.completions === undefined || spec.completions === before.completions) return [];
  if (spec.completions === spec.parallelism) return [];
  return [invalid(at, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** While a Job is suspended, the scheduling and the resources of its Pods may change. */
function validateTemplate(spec: JobSpec, previous: Job): FieldError[] {
  const before = previous.spec!.template;
  if (!isWaiting(previous))
    return checkUnchanged(path.child('template'), spec.template, before, goForm(spec.template, 'core.PodTemplateSpec'));
  const expected = deepCopy(before) as PodTemplateSpec;
  takeOver(expected, spec.template);
  return deepEqual(spec.template.spec, expected.spec)
    ? []
    : [invalid(path.child('template.spec'), goForm(spec.template.spec, 'core.PodSpec'), 'field is immutable')];
}

function isWaiting({ spec, status = {} }: Job): boolean {
  const hasNoPods = status.startTime === undefined || hasCondition(status, 'Suspended');
  return spec?.suspend === true && hasNoPods && (status.active ?? 0) === 0;
}

function takeOver(target: PodTemplateSpec, source: PodTemplateSpec): void {
  target.spec ??= { containers: [] };
  const from = source.spec ?? { containers: [] };
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) copyField(target.spec, from, field);
  takeOverNodeAffinity(target.spec, from);
  for (const list of ['containers', 'initContainers'] as const)
    target.spec[list]?.forEach((container, index) => {
      const other = from[list]?.[index];
      if (other?.name === container.name) copyField(container, other, 'resources');
    });
}

function takeOverNodeAffinity(target: PodSpec, source: PodSpec): void {
  const { nodeAffinity: _, ...others } = target.affinity ?? {};
  const nodeAffinity = source.affinity?.nodeAffinity;
  const affinity = { ...others, ...(nodeAffinity && { nodeAffinity }) };
  if (Object.keys(affinity).length > 0 || source.affinity !== undefined) target.affinity = affinity;
  else delete target.affinity;
}

function copyField<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
