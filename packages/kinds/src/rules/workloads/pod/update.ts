import { type FieldError, FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { rangeMessage } from '@pintle/machinery/names';
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSchedulingGate,
  PodSpec,
} from '../../../generated/core/v1.ts';
import { eachItem, isEmpty, shownMap } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { jsonDiff } from '../../common/go-form/unified-diff.ts';
import { validateImageSpelling } from '../../common/pod/validation/containers/containers.ts';
import { validateTolerationsUpdate } from '../../common/pod/validation/scheduling/tolerations.ts';
import { validatePodAnnotationsUpdate } from '../../common/pod/validation/security/annotations.ts';
import { validateAnyPod } from './validate.ts';

const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');
const maxInt32 = 2 ** 31 - 1;

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Little of a Pod may change: its images, a deadline that only shrinks, tolerations that only grow. */
export function validatePodUpdate(next: Pod, previous: Pod): FieldError[] {
  const [spec, before] = [next.spec ?? { containers: [] }, previous.spec ?? { containers: [] }];
  const errors = [
    ...validateAnyPod(next),
    ...validatePodAnnotationsUpdate(next.metadata.annotations, previous.metadata.annotations, annotationsPath),
  ];
  for (const list of ['containers', 'initContainers'] as const) {
    const path = specPath.child(list);
    if ((spec[list] ?? []).length !== (before[list] ?? []).length)
      return [...errors, forbidden(path, 'pod updates may not add or remove containers')];
    errors.push(...eachItem(spec[list], path, validateImage));
  }
  const deadlineErrors = validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds);
  errors.push(...deadlineErrors);
  if (deadlineErrors.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  return [
    ...errors,
    ...validateTolerationsUpdate(spec.tolerations, before.tolerations, specPath.child('tolerations')),
    ...validateGates(spec.schedulingGates, before.schedulingGates ?? []),
    ...validateRest(spec, before),
  ];
}

function validateImage(container: Container, path: FieldPath): FieldError[] {
  return [
    ...(isEmpty(container.image) ? [required(path.child('image'))] : []),
    ...validateImageSpelling(container, path),
  ];
}

function validateDeadline(next: number | undefined, previous: number | undefined): FieldError[] {
  const path = specPath.child('activeDeadlineSeconds');
  if (next === undefined)
    return previous === undefined
      ? []
      : [invalid(path, undefined, 'must not update from a positive integer to nil value')];
  if (next < 0 || next > maxInt32) return [invalid(path, next, rangeMessage(0, maxInt32))];
  if (previous !== undefined && next > previous)
    return [invalid(path, next, 'must be less than or equal to previous value')];
  return [];
}

function validateGates(
  next: readonly PodSchedulingGate[] | undefined,
  previous: readonly PodSchedulingGate[],
): FieldError[] {
  const added = new Map((next ?? []).map(({ name }, index) => [name, index]));
  for (const { name } of previous) added.delete(name);
  return [...added].map(([name, index]) =>
    forbidden(
      specPath.child('schedulingGates').index(index).child('name'),
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    ),
  );
}

/** Restores all fields that may change; any other difference is an error. */
function validateRest(spec: PodSpec, before: PodSpec): FieldError[] {
  const rest = deepCopy(spec) as PodSpec;
  for (const list of ['containers', 'initContainers'] as const)
    rest[list]?.forEach((container, index) => {
      restore(container, before[list]![index]!, 'image');
    });
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const)
    restore(rest, before, field);
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && rest.terminationGracePeriodSeconds === 1)
    restore(rest, before, 'terminationGracePeriodSeconds');
  const errors = (before.schedulingGates ?? []).length > 0 ? validatePlacement(rest, before) : [];
  return deepEqual(rest, before) ? errors : [...errors, forbidden(specPath, describeRefusal(rest, before))];
}

function describeRefusal(rest: PodSpec, before: PodSpec): string {
  const difference = jsonDiff(goForm(before, 'core.PodSpec'), goForm(rest, 'core.PodSpec'));
  return `pod updates may not change fields other than ${changeable.join(',')}\n${difference}`;
}

/** While a Pod has scheduling gates, its node selection may be narrowed. Restores the fields that it checks. */
function validatePlacement(rest: PodSpec, before: PodSpec): FieldError[] {
  const errors = validateNodeSelector(rest, before);
  restore(rest, before, 'nodeSelector');
  const [next, previous] = [rest.affinity?.nodeAffinity, before.affinity?.nodeAffinity];
  if (deepEqual(next, previous)) return errors;
  errors.push(...validateNodeAffinity(next, previous));
  const { nodeAffinity: _, ...others } = rest.affinity ?? {};
  const affinity = { ...others, ...(previous && { nodeAffinity: previous }) };
  if (Object.keys(affinity).length > 0 || before.affinity !== undefined) rest.affinity = affinity;
  else delete rest.affinity;
  return errors;
}

function validateNodeSelector(
  { nodeSelector: next = {} }: PodSpec,
  { nodeSelector: previous = {} }: PodSpec,
): FieldError[] {
  if (Object.entries(previous).every(([key, value]) => next[key] === value)) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid(specPath.child('nodeSelector'), shownMap(next), detail)];
}

function validateNodeAffinity(next: NodeAffinity | undefined, previous: NodeAffinity | undefined): FieldError[] {
  const before = previous?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const given = next?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const terms = given ?? [];
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const path = specPath.child('affinity', 'nodeAffinity', required, 'nodeSelectorTerms');
  if (before.length > 0 && before.length !== terms.length)
    return [
      invalid(
        path,
        goForm(given, '[core.NodeSelectorTerm'),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  return eachItem(before, path, (old, at, index) =>
    hasOnlyAdditions(terms[index]!, old)
      ? []
      : [
          invalid(
            at,
            goForm(terms[index], 'core.NodeSelectorTerm'),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

/** An empty term matches nothing, so adding to it would widen it. */
function hasOnlyAdditions(next: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ['matchExpressions', 'matchFields'] as const;
  const isEmptyTerm = (term: NodeSelectorTerm) => lists.every((list) => (term[list] ?? []).length === 0);
  if (isEmptyTerm(old)) return isEmptyTerm(next);
  return lists.every((list) => {
    const kept = old[list] ?? [];
    return deepEqual((next[list] ?? []).slice(0, kept.length), kept);
  });
}

function restore<T extends object>(target: T, source: T, field: keyof T): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
