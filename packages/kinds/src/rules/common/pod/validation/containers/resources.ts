import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '@pintle/machinery/errors';
import { validateDns1123Label } from '@pintle/machinery/names';
import type {
  ContainerResizePolicy,
  PodSpec,
  ResourceClaim,
  ResourceRequirements,
} from '../../../../../generated/core/v1.ts';
import type { Quantity } from '../../../../../generated/meta/v1.ts';
import { checkChoice, eachItem, isEmpty, problems, sortedEntries } from '../../../checks.ts';
import {
  compareQuantities,
  formatQuantityValue,
  isMultipleOf,
  isWholeNumber,
  quantitySign,
} from '../../../quantities.ts';
import {
  checkContainerResourceName,
  checkResourceName,
  isHugePages,
  isIntegerResource,
} from '../../../resource-names.ts';
import { isOvercommittable, isSupportedForPods, sumOverContainers } from '../../resources.ts';

type NameRule = (name: string, path: FieldPath) => FieldError[];

export function validateContainerResources(
  requirements: ResourceRequirements | undefined,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  return requirements === undefined
    ? []
    : validateRequirements(requirements, checkContainerResourceName, claimNames, path);
}

/** Checks the resources of the Pod as a whole, and that they fit those of its containers. */
export function validatePodResources(spec: PodSpec, claimNames: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  if (spec.os?.name === 'windows') return [forbidden(path, 'may not be set for a windows pod')];
  return [
    ...(resources.claims ? [forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level')] : []),
    ...validateRequirements(resources, validatePodResourceName, claimNames, path),
    ...validateConsistency(spec, resources, path),
  ];
}

/** Amounts must not be negative, and must be whole where the resource cannot be divided. */
function validateResourceQuantity(name: string, quantity: Quantity, path: FieldPath): FieldError[] {
  const isBelowZero = quantitySign(quantity) < 0;
  const isDivided = isIntegerResource(name) && !isWholeNumber(quantity);
  if (!isBelowZero && !isDivided) return [];
  const shown = formatQuantityValue(quantity);
  return [
    ...(isBelowZero ? [invalid(path, shown, 'must be greater than or equal to 0')] : []),
    ...(isDivided ? [invalid(path, shown, 'must be an integer')] : []),
  ];
}

function validatePodResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = checkResourceName(name, path);
  if (errors.length > 0 || isSupportedForPods(name)) return errors;
  return [notSupported(path, name, ['cpu', 'hugepages-', 'memory'])];
}

function validateRequirements(
  requirements: ResourceRequirements,
  nameRule: NameRule,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const { limits = {}, requests = {} } = requirements;
  const limitsPath = path.child('limits');
  const requestsPath = path.child('requests');
  return [
    ...sortedEntries(limits).flatMap(([name, quantity]) => [
      ...validateAmount(name, quantity, nameRule, limitsPath.key(name)),
      ...validateHugePages(name, quantity, limitsPath.key(name)),
    ]),
    ...sortedEntries(requests).flatMap(([name, quantity]) => [
      ...validateAmount(name, quantity, nameRule, requestsPath.key(name)),
      ...validateWithinLimit(name, quantity, limits[name], requestsPath, limitsPath),
      ...validateHugePages(name, quantity, requestsPath.key(name)),
    ]),
    ...validateHugePagesCompute([...Object.keys(limits), ...Object.keys(requests)], path),
    ...validateClaims(requirements.claims, claimNames, path.child('claims')),
  ];
}

function validateAmount(name: string, quantity: Quantity, nameRule: NameRule, path: FieldPath): FieldError[] {
  return [...nameRule(name, path), ...validateResourceQuantity(name, quantity, path)];
}

function validateHugePages(name: string, quantity: Quantity, path: FieldPath): FieldError[] {
  if (!isHugePages(name) || isMultipleOf(quantity, name.slice('hugepages-'.length))) return [];
  const shown = formatQuantityValue(quantity);
  return [invalid(path, shown, `${shown} is not positive integer multiple of ${name}`)];
}

function validateWithinLimit(
  name: string,
  request: Quantity,
  limit: Quantity | undefined,
  path: FieldPath,
  limitsPath: FieldPath,
): FieldError[] {
  if (limit === undefined)
    return isOvercommittable(name) ? [] : [required(limitsPath, 'Limit must be set for non overcommitable resources')];
  const order = compareQuantities(request, limit);
  if (order === 0 || (order < 0 && isOvercommittable(name))) return [];
  const relation = isOvercommittable(name) ? 'less than or equal to' : 'equal to';
  const detail = `must be ${relation} ${name} limit of ${formatQuantityValue(limit)}`;
  return [invalid(path, formatQuantityValue(request), detail)];
}

function validateHugePagesCompute(names: readonly string[], path: FieldPath): FieldError[] {
  if (!names.some(isHugePages) || names.includes('cpu') || names.includes('memory')) return [];
  return [forbidden(path, 'HugePages require cpu or memory')];
}

/** A claim is named as a whole or by its requests, not both. */
function validateClaims(
  claims: readonly ResourceClaim[] | undefined,
  declared: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const seen: NamedClaims = { keys: new Set(), requests: new Map() };
  const undeclared = undeclaredClaim(declared);
  return eachItem(claims, path, ({ name, request }, at) => {
    if (isEmpty(name)) return [required(at)];
    const errors = seen.keys.has(name) ? [duplicate(at, name)] : validateClaim(name, request, seen, at);
    return [...errors, ...(declared.has(name) ? [] : [notFound(at, name, undeclared)])];
  });
}

interface NamedClaims {
  readonly keys: Set<string>;
  /** Number of requests of each claim that were named. */
  readonly requests: Map<string, number>;
}

function validateClaim(name: string, request: string | undefined, seen: NamedClaims, path: FieldPath): FieldError[] {
  const key = isEmpty(request) ? name : `${name}/${request}`;
  const errors = isEmpty(request) ? [] : problems(path.child('request'), request, validateDns1123Label(request));
  const requests = seen.requests.get(name) ?? 0;
  if (seen.keys.has(key)) errors.push(duplicate(path, key));
  else if (!isEmpty(request)) seen.requests.set(name, requests + 1);
  else for (let i = 0; i < requests; i++) errors.push(duplicate(path, name));
  seen.keys.add(key);
  return errors;
}

function undeclaredClaim(declared: ReadonlySet<string>): string {
  const listed = declared.size === 0 ? ' which is empty' : `: ${[...declared].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${listed}`;
}

function validateConsistency(
  spec: PodSpec,
  { limits = {}, requests = {} }: ResourceRequirements,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateSum(sumOverContainers(spec, 'requests'), requests, 'requests', path.child('requests')),
    ...validateSum(onlyHugePages(sumOverContainers(spec, 'limits')), limits, 'limits', path.child('limits')),
    ...eachItem(spec.containers, path.child('containers'), (container, at) =>
      sortedEntries(container.resources?.limits).flatMap(([name, limit]) => {
        const ofPod = limits[name];
        if (ofPod === undefined || compareQuantities(limit, ofPod) <= 0) return [];
        const detail = `must be less than or equal to pod limits of ${formatQuantityValue(ofPod)}`;
        return [invalid(at.key(name).child('limits'), formatQuantityValue(limit), detail)];
      }),
    ),
  ];
}

function validateSum(
  sums: Readonly<Record<string, Quantity>>,
  ofPod: Readonly<Record<string, Quantity>>,
  what: string,
  path: FieldPath,
): FieldError[] {
  return sortedEntries(sums).flatMap(([name, sum]) => {
    const given = ofPod[name];
    if (given === undefined || compareQuantities(sum, given) <= 0) return [];
    const detail = `must be greater than or equal to aggregate container ${what} of ${formatQuantityValue(sum)}`;
    return [invalid(path.key(name), formatQuantityValue(given), detail)];
  });
}

function onlyHugePages(sums: Readonly<Record<string, Quantity>>): Record<string, Quantity> {
  return Object.fromEntries(Object.entries(sums).filter(([name]) => isHugePages(name)));
}

const resources = ['cpu', 'memory'];
const restarts = ['NotRequired', 'RestartContainer'];

/** Reports a duplicate resource at its entry, and everything else at the list. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[] | undefined,
  podRestartPolicy: string | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return eachItem(policies, path, ({ resourceName, restartPolicy }, at) => {
    const errors = seen.has(resourceName) ? [duplicate(at, resourceName)] : [];
    seen.add(resourceName);
    errors.push(...checkChoice(path, resourceName, resources), ...checkChoice(path, restartPolicy, restarts));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
