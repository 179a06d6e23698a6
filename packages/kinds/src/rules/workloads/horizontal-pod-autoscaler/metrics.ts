import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { pathSegmentName, validateDns1123Label } from '@pintle/machinery/names';
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ResourceMetricSource,
} from '../../../generated/autoscaling/v2.ts';
import { isEmpty, problems, requiredMatching } from '../../common/checks.ts';
import { formatQuantityValue, quantitySign } from '../../common/quantities.ts';
import { checkContainerResourceName } from '../../common/resource-names.ts';

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type SourceName = (typeof sources)[number];

/** A metric has exactly the source of its type. */
export function validateMetric(metric: MetricSpec, path: FieldPath): FieldError[] {
  const type: string = metric.type ?? '';
  const expected = sources.find((source) => source.toLowerCase() === type.toLowerCase());
  const isKnown = types.includes(type);
  const present = sources.filter((source) => metric[source] !== undefined);
  const unsupported = notSupported(path.child('type'), type, types);
  return [
    ...(type === '' ? [required(path.child('type'), 'must specify a metric source type')] : []),
    ...(isKnown ? [] : [unsupported]),
    ...(present[0] === undefined ? [] : validateSource(present[0], metric, path.child(present[0]))),
    ...(isKnown ? validateExpected(metric, expected!, path) : [unsupported]),
    ...(present.length === 1
      ? []
      : present
          .filter((source) => source !== expected)
          .map((source) => forbidden(path.child(source), 'must populate the given metric source only'))),
  ];
}

function validateExpected(metric: MetricSpec, expected: SourceName, path: FieldPath): FieldError[] {
  if (metric[expected] !== undefined) return [];
  return [required(path.child(expected), 'must populate information for the given metric source')];
}

function validateSource(name: SourceName, metric: MetricSpec, path: FieldPath): FieldError[] {
  switch (name) {
    case 'object': {
      const source = metric.object!;
      return [
        ...validateReference(source.describedObject, path.child('describedObject'), apiVersionProblem),
        ...validateIdentifier(source.metric, path.child('metric')),
        ...validateTarget(source.target, path.child('target')),
        ...requireValue(source.target, 'must set either a target value or averageValue', path.child('target')),
      ];
    }
    case 'external': {
      const source = metric.external!;
      const at = path.child('target');
      return [
        ...validateIdentifier(source.metric, path.child('metric')),
        ...validateTarget(source.target, at),
        ...requireValue(source.target, 'must set either a target value for metric or a per-pod target', at),
        ...(source.target.value !== undefined && source.target.averageValue !== undefined
          ? [forbidden(at.child('value'), 'may not set both a target value for metric and a per-pod target')]
          : []),
      ];
    }
    case 'pods': {
      const source = metric.pods!;
      return [
        ...validateIdentifier(source.metric, path.child('metric')),
        ...validateTarget(source.target, path.child('target')),
        ...(source.target.averageValue === undefined
          ? [required(path.child('target', 'averageValue'), 'must specify a positive target averageValue')]
          : []),
      ];
    }
    case 'resource':
      return [...validateResourceName(metric.resource!, path), ...validateResourceTarget(metric.resource!, path)];
    case 'containerResource':
      return validateContainerResource(metric.containerResource!, path);
  }
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath): FieldError[] {
  if (isEmpty(name)) return [required(path.child('name'), 'must specify a metric name')];
  return problems(path.child('name'), name, pathSegmentName(name, false));
}

function validateTarget(
  { type, value, averageValue, averageUtilization }: MetricTarget,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (isEmpty(type)) errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(invalid(path.child('type'), type ?? '', 'must be either Utilization, Value, or AverageValue'));
  for (const [name, quantity] of Object.entries({ value, averageValue }))
    if (quantity !== undefined && quantitySign(quantity) <= 0)
      errors.push(invalid(path.child(name), formatQuantityValue(quantity), 'must be positive'));
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
  return errors;
}

function requireValue({ value, averageValue }: MetricTarget, detail: string, path: FieldPath): FieldError[] {
  return value === undefined && averageValue === undefined ? [required(path.child('averageValue'), detail)] : [];
}

function validateResourceName({ name }: ResourceMetricSource, path: FieldPath): FieldError[] {
  return isEmpty(name) ? [required(path.child('name'), 'must specify a resource name')] : [];
}

function validateResourceTarget(
  { target }: ResourceMetricSource | ContainerResourceMetricSource,
  path: FieldPath,
): FieldError[] {
  const at = path.child('target');
  const errors = validateTarget(target, at);
  const [hasUtilization, hasValue] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!hasUtilization && !hasValue)
    errors.push(required(at.child('averageUtilization'), 'must set either a target raw value or a target utilization'));
  if (hasUtilization && hasValue)
    errors.push(forbidden(at.child('averageValue'), 'may not set both a target raw value and a target utilization'));
  return errors;
}

function validateContainerResource(source: ContainerResourceMetricSource, path: FieldPath): FieldError[] {
  return [
    ...(isEmpty(source.name)
      ? [required(path.child('name'), 'must specify a resource name')]
      : checkContainerResourceName(source.name, path.child('name'))),
    ...(isEmpty(source.container)
      ? [required(path.child('container'), 'must specify a container')]
      : requiredMatching(source.container, validateDns1123Label, path.child('container'))),
    ...validateResourceTarget(source, path),
  ];
}

export function validateReference(
  { kind, name, apiVersion = '' }: CrossVersionObjectReference,
  path: FieldPath,
  versionProblem: (apiVersion: string) => string | undefined,
): FieldError[] {
  const problem = versionProblem(apiVersion);
  return [
    ...requiredMatching(kind, (text) => pathSegmentName(text, false), path.child('kind')),
    ...requiredMatching(name, (text) => pathSegmentName(text, false), path.child('name')),
    ...(problem === undefined ? [] : problems(path.child('apiVersion'), apiVersion, [problem])),
  ];
}

/** Checks `apps/v1`, or `v1` for the core group. */
export function apiVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
