import { type FieldError, type FieldPath, invalid, notSupported, required } from '@pintle/machinery/errors';
import { validateLabelKey } from '@pintle/machinery/names';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../../generated/core/v1.ts';
import { isEmpty } from '../../checks.ts';
import { formatQuantityValue } from '../../quantities.ts';

/** All fields of a Pod that any version offers to its containers; environment and volumes each support some of them. */
const knownFieldPaths = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const cpuDivisors = ['1m', '1'];

/** Checks `metadata.labels['app']` and the like; `supported` is in the order in which it is printed. */
export function validateFieldReference(
  reference: ObjectFieldSelector | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (reference === undefined) return [];
  const { apiVersion, fieldPath } = reference;
  if (isEmpty(apiVersion)) return [required(path.child('apiVersion'))];
  if (isEmpty(fieldPath)) return [required(path.child('fieldPath'))];
  const problem = conversionProblem(apiVersion, fieldPath);
  if (problem !== undefined)
    return [invalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`)];
  return validateConverted(fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath, supported, path);
}

/** Checks a reference such as `limits.cpu` and its divisor. In a volume the container must be named. */
export function validateResourceReference(
  reference: ResourceFieldSelector | undefined,
  path: FieldPath,
  { isInVolume = false }: { readonly isInVolume?: boolean } = {},
): FieldError[] {
  if (reference === undefined) return [];
  return [...validateResource(reference, path, isInVolume), ...validateDivisor(reference, path.child('divisor'))];
}

function conversionProblem(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const subscripted = splitSubscript(fieldPath);
  if (subscripted !== undefined)
    return isMapPath(subscripted.path) ? undefined : `field label does not support subscript: ${fieldPath}`;
  return knownFieldPaths.has(fieldPath) || fieldPath === 'spec.host'
    ? undefined
    : `field label not supported: ${fieldPath}`;
}

function validateConverted(fieldPath: string, supported: readonly string[], path: FieldPath): FieldError[] {
  const subscripted = splitSubscript(fieldPath);
  if (subscripted === undefined)
    return supported.includes(fieldPath) ? [] : [notSupported(path.child('fieldPath'), fieldPath, supported)];
  const { subscript } = subscripted;
  return validateLabelKey(subscripted.path === 'metadata.annotations' ? subscript.toLowerCase() : subscript, path);
}

function splitSubscript(fieldPath: string): { readonly path: string; readonly subscript: string } | undefined {
  const match = /^([^[]*)\['(.+)'\]$/.exec(fieldPath);
  return match ? { path: match[1]!, subscript: match[2]! } : undefined;
}

function isMapPath(path: string): boolean {
  return path === 'metadata.annotations' || path === 'metadata.labels';
}

function validateResource(
  { containerName, resource }: ResourceFieldSelector,
  path: FieldPath,
  isInVolume: boolean,
): FieldError[] {
  if (isInVolume && isEmpty(containerName)) return [required(path.child('containerName'))];
  if (isEmpty(resource)) return [required(path.child('resource'))];
  if (resources.includes(resource) || isHugePages(resource)) return [];
  return [notSupported(path.child('resource'), resource, resources)];
}

function validateDivisor({ divisor, resource = '' }: ResourceFieldSelector, path: FieldPath): FieldError[] {
  const written = divisor === undefined ? '0' : formatQuantityValue(divisor);
  const kind = resourceKind(resource);
  if (written === '0' || kind === undefined) return [];
  const allowed = kind === 'cpu' ? cpuDivisors : byteDivisors;
  if (allowed.includes(written)) return [];
  const listed = kind === 'cpu' ? '1m and 1' : byteDivisors.join(', ');
  return [invalid(path, resource, `only divisor's values ${listed} are supported with the ${kind} resource`)];
}

function resourceKind(resource: string): string | undefined {
  if (isHugePages(resource)) return 'hugepages';
  const name = /^(?:limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(resource)?.[1];
  return name === 'ephemeral-storage' ? 'local ephemeral storage' : name;
}

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');
}
