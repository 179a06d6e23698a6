import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import { validateQualifiedName } from '@pintle/machinery/names';
import { problems } from './checks.ts';

const computeNames = ['cpu', 'memory', 'ephemeral-storage'];

const countedNames = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

const quotaNames: ReadonlySet<string> = new Set([
  ...computeNames.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...countedNames,
]);

/** True for resources that are counted in whole numbers: objects, not amounts. */
export function isIntegerResource(name: string): boolean {
  return countedNames.includes(name) || isExtendedResource(name);
}

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

export function isStandardQuotaName(name: string): boolean {
  return quotaNames.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

/** True for Kubernetes' own resources: without a domain, or in a domain of Kubernetes. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** True for a resource with another domain, such as `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  return (
    !isNativeResource(name) && !name.startsWith('requests.') && validateQualifiedName(`requests.${name}`).length === 0
  );
}

/** Checks a resource that a container can request. Reports a completely unknown name twice, as in Kubernetes. */
export function checkContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = checkResourceName(name, path);
  if (!name.includes('/')) {
    if (!computeNames.includes(name) && !isHugePages(name))
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

/** Checks that Kubernetes defines the resource, or that it has a domain. */
export function checkResourceName(name: string, path: FieldPath): FieldError[] {
  const malformed = problems(path, name, validateQualifiedName(name));
  if (malformed.length > 0 || name.includes('/') || isStandardQuotaName(name) || name === 'storage') return malformed;
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** Checks a resource that a quota can limit. */
export function checkQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = checkResourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaName(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
  return errors;
}
