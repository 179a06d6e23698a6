import { type FieldError, FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../../generated/autoscaling/v2.ts';
import { checkOptionalChoice, eachItem, positive } from '../../common/checks.ts';
import { formatQuantityValue, quantitySign } from '../../common/quantities.ts';
import { apiVersionProblem, validateMetric, validateReference } from './metrics.ts';

const specPath = FieldPath.of('spec');
const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;

export function validateSpec(
  spec: HorizontalPodAutoscalerSpec,
  previous: HorizontalPodAutoscalerSpec | undefined,
): FieldError[] {
  return [
    ...validateBounds(spec, previous?.minReplicas === 0 ? 0 : 1),
    ...validateTarget(spec, previous),
    ...validateMetrics(spec, specPath.child('metrics')),
    ...validateScalingRules(spec.behavior?.scaleUp, specPath.child('behavior', 'scaleUp')),
    ...validateScalingRules(spec.behavior?.scaleDown, specPath.child('behavior', 'scaleDown')),
  ];
}

function validateBounds({ minReplicas, maxReplicas = 0 }: HorizontalPodAutoscalerSpec, lowest: number): FieldError[] {
  const maxPath = specPath.child('maxReplicas');
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < lowest)
    errors.push(invalid(specPath.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`));
  if (maxReplicas === 0) errors.push(required(maxPath, 'must be set and greater than 0'));
  else if (maxReplicas < 0) errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid(maxPath, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  return errors;
}

/** Only ReplicationControllers are in the core group. A target that has not changed is not validated again. */
function validateTarget(
  { scaleTargetRef: target }: HorizontalPodAutoscalerSpec,
  previous: HorizontalPodAutoscalerSpec | undefined,
): FieldError[] {
  const before = previous?.scaleTargetRef;
  const isSame = before !== undefined && before.apiVersion === target.apiVersion && before.kind === target.kind;
  return validateReference(target, specPath.child('scaleTargetRef'), (apiVersion) => {
    if (isSame) return undefined;
    const problem = apiVersionProblem(apiVersion);
    if (problem !== undefined || apiVersion.indexOf('/') > 0 || target.kind === 'ReplicationController') return problem;
    return 'apiVersion must specify API group';
  });
}

function validateMetrics({ metrics = [], minReplicas }: HorizontalPodAutoscalerSpec, path: FieldPath): FieldError[] {
  const canWake = metrics.some(({ type }) => type === 'Object' || type === 'External');
  return [
    ...eachItem(metrics, path, validateMetric),
    ...(minReplicas === 0 && !canWake
      ? [forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas')]
      : []),
  ];
}

function validateScalingRules(rules: HPAScalingRules | undefined, path: FieldPath): FieldError[] {
  if (rules === undefined) return [];
  const { policies = [], tolerance } = rules;
  return [
    ...validateWindow(rules.stabilizationWindowSeconds, path.child('stabilizationWindowSeconds')),
    ...checkOptionalChoice(path.child('selectPolicy'), rules.selectPolicy, ['Disabled', 'Max', 'Min']),
    ...(policies.length === 0 ? [required(path.child('policies'), 'must specify at least one Policy')] : []),
    ...eachItem(policies, path.child('policies'), validatePolicy),
    ...(tolerance !== undefined && quantitySign(tolerance) < 0
      ? [invalid(path.child('tolerance'), formatQuantityValue(tolerance), 'must be greater than or equal to 0')]
      : []),
  ];
}

function validateWindow(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined) return [];
  if (seconds < 0) return [invalid(path, seconds, 'must be greater than or equal to zero')];
  return seconds > maxWindowSeconds
    ? [invalid(path, seconds, `must be less than or equal to ${maxWindowSeconds}`)]
    : [];
}

function validatePolicy({ type, value, periodSeconds = 0 }: HPAScalingPolicy, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (type !== 'Pods' && type !== 'Percent')
    errors.push(notSupported(path.child('type'), type ?? '', ['Percent', 'Pods']));
  errors.push(...positive(value, path.child('value')), ...positive(periodSeconds, path.child('periodSeconds')));
  if (periodSeconds > maxPeriodSeconds)
    errors.push(
      invalid(path.child('periodSeconds'), periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`),
    );
  return errors;
}
