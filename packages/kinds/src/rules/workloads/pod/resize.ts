import { type FieldError, FieldPath, forbidden, invalid } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { SubresourceRules } from '@pintle/machinery/rules';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../generated/core/v1.ts';
import { eachItem } from '../../common/checks.ts';
import { keep, keepMetadata } from '../../common/object-fields.ts';
import { isSidecar } from '../../common/pod/containers.ts';
import { type Amounts, computeQosClass, qosClassOf } from '../../common/pod/resources.ts';
import { mirrorAnnotation } from '../../common/pod/validation/security/annotations.ts';
import { validateAnyPod } from './validate.ts';

const specPath = FieldPath.of('spec');
const lists = ['containers', 'initContainers'] as const;

/** Changes cpu and memory of the containers of a running Pod. */
export const resizeRules: SubresourceRules<Pod> = {
  metadataChecks: ['update', 'create'],
  prepareForUpdate(next, previous) {
    const [spec, before] = [next.spec ?? { containers: [] }, previous.spec ?? { containers: [] }];
    if (lists.some((list) => (spec[list] ?? []).length !== (before[list] ?? []).length)) return;
    next.spec = resized(spec, before);
    keep(next, previous, 'status');
    keepMetadata(next, previous);
  },
  validateUpdate: validateResize,
};

/** Returns the previous spec with the new resources. Renamed or moved containers are left for validation to report. */
function resized(spec: PodSpec, before: PodSpec): PodSpec {
  const { resources: _, ...rest } = before;
  const next: PodSpec = { ...rest, ...(spec.resources && { resources: spec.resources }) };
  for (const list of lists) if (spec[list]) next[list] = resizedContainers(spec[list], before[list] ?? []);
  return next;
}

function resizedContainers(containers: readonly Container[], before: readonly Container[]): Container[] {
  if (containers.some(({ name }, index) => name !== before[index]?.name)) return [...containers];
  return containers.map(({ resources, resizePolicy }, index) => {
    const { resources: _resources, resizePolicy: _policy, ...rest } = before[index]!;
    return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) };
  });
}

function validateResize(next: Pod, previous: Pod): FieldError[] {
  const [spec, before] = [next.spec ?? { containers: [] }, previous.spec ?? { containers: [] }];
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined)
    return [forbidden('[]', 'static pods cannot be resized')];
  if (before.os?.name === 'windows') return [forbidden('[]', 'windows pods cannot be resized')];
  const errors = [
    ...validateAnyPod(next),
    ...validateClass(next, previous),
    ...validateNodeCanResize(previous),
    ...validatePodLevel(spec.resources, before.resources),
  ];
  const moved = lists.flatMap((list) => validateSameContainers(spec[list] ?? [], before[list] ?? [], list));
  if (moved.length > 0) return [...errors, ...moved];
  errors.push(
    ...eachItem(before.initContainers, specPath.child('initContainers'), (container, at, index) =>
      validateKept(spec.initContainers![index]!.resources, container.resources, at.child('resources')),
    ),
    ...eachItem(before.containers, specPath.child('containers'), (container, at, index) =>
      validateKept(spec.containers[index]!.resources, container.resources, at.child('resources')),
    ),
    ...validateOnlyCpuAndMemory(spec, before),
  );
  if (errors.length > 0 || deepEqual(withSizesOf(spec, before), before)) return errors;
  return [forbidden(specPath, 'only cpu and memory resources are mutable')];
}

function validateClass(next: Pod, previous: Pod): FieldError[] {
  if (qosClassOf(previous) === computeQosClass(next.spec)) return [];
  return [invalid(specPath, next.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** Nodes that support resizing report the resources of running containers. */
function validateNodeCanResize({ status }: Pod): FieldError[] {
  const running = (status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  if (running === undefined || running.resources !== undefined) return [];
  return [forbidden(specPath, 'Pod running on node without support for resize')];
}

function validatePodLevel(
  next: ResourceRequirements | undefined,
  previous: ResourceRequirements | undefined,
): FieldError[] {
  const path = specPath.child('resources');
  if (!hasAmounts(next) && !hasAmounts(previous)) return [];
  if (previous !== undefined && next === undefined) return [forbidden(path, 'pod-level resources cannot be removed')];
  const errors = (['requests', 'limits'] as const)
    .filter((field) => isSomethingRemoved(next?.[field], previous?.[field]))
    .map((field) => forbidden(path.child(field), `pod-level resource ${field} cannot be removed`));
  if (!deepEqual(withSizes(next ?? {}, previous ?? {}), previous ?? {}))
    errors.push(forbidden(specPath, 'only cpu and memory resources are mutable at pod-level'));
  return errors;
}

function hasAmounts({ requests = {}, limits = {} }: ResourceRequirements = {}): boolean {
  return Object.keys({ ...requests, ...limits }).length > 0;
}

function validateSameContainers(
  next: readonly Container[],
  previous: readonly Container[],
  list: 'containers' | 'initContainers',
): FieldError[] {
  const path = specPath.child(list);
  if (next.length !== previous.length) return [forbidden(path, `${list} may not be added or removed on resize`)];
  return eachItem(previous, path, ({ name }, at, index) =>
    next[index]!.name === name
      ? []
      : [forbidden(at.child('name'), `${list} may not be renamed or reordered on resize`)],
  );
}

function validateKept(
  next: ResourceRequirements | undefined,
  previous: ResourceRequirements | undefined,
  path: FieldPath,
): FieldError[] {
  return (['requests', 'limits'] as const)
    .filter((field) => isSomethingRemoved(next?.[field], previous?.[field]))
    .map((field) => forbidden(path.child(field), `resource ${field} cannot be removed`));
}

function isSomethingRemoved(next: Amounts = {}, previous: Amounts = {}): boolean {
  return Object.keys(previous).some((name) => next[name] === undefined);
}

function validateOnlyCpuAndMemory(spec: PodSpec, before: PodSpec): FieldError[] {
  return [
    ...(spec.containers ?? []).flatMap((container, index) =>
      isResizeOnly(container, before.containers[index]!)
        ? []
        : [forbidden(specPath, 'only cpu and memory resources are mutable')],
    ),
    ...eachItem(spec.initContainers, specPath.child('initContainers'), (container, at, index) =>
      validateInitContainer(container, before.initContainers![index]!, at),
    ),
  ];
}

function validateInitContainer(container: Container, before: Container, path: FieldPath): FieldError[] {
  const errors = isResizeOnly(container, before)
    ? []
    : [forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable')];
  if (isSidecar(container) || deepEqual(container, before)) return errors;
  const restarts = (container.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer');
  const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
  return [...errors, ...restarts.map(() => forbidden(path, detail))];
}

function isResizeOnly(container: Container, before: Container): boolean {
  return deepEqual(withContainerSizes(container, before), before);
}

function withSizesOf(spec: PodSpec, before: PodSpec): PodSpec {
  const result = deepCopy(spec) as PodSpec;
  for (const list of lists)
    if (result[list])
      result[list] = result[list].map((container, index) => withContainerSizes(container, before[list]![index]!));
  if (result.resources) result.resources = withSizes(result.resources, before.resources ?? {});
  if (before.resources === undefined && Object.keys(result.resources ?? {}).length === 0) delete result.resources;
  return result;
}

/** Ignores claims, as Kubernetes does: a container with claims cannot be resized, but does not lose them. */
function withContainerSizes(container: Container, before: Container): Container {
  const { claims: _, ...sizes } = container.resources ?? {};
  return { ...container, resources: withSizes(sizes, before.resources ?? {}) };
}

/** Returns the same resources with the previous cpu and memory. */
function withSizes(next: ResourceRequirements, previous: ResourceRequirements): ResourceRequirements {
  const result: ResourceRequirements = { ...next };
  for (const field of ['limits', 'requests'] as const) {
    const { cpu: _cpu, memory: _memory, ...others } = next[field] ?? {};
    const { cpu, memory } = previous[field] ?? {};
    const amounts = { ...others, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
    if (Object.keys(amounts).length > 0) result[field] = amounts;
    else delete result[field];
  }
  return result;
}
