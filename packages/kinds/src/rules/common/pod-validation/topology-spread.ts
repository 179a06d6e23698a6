import { duplicate, type FieldError, type FieldPath, invalid, notSupported, required } from '@pintle/machinery/errors';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { TopologySpreadConstraint } from '../../../generated/core/v1.ts';
import { eachItem, isEmpty, positive, supportedValue } from './checks.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusionPolicies = ['Honor', 'Ignore'];

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
): FieldError[] {
  return eachItem(constraints, path, (constraint, at, index) => [
    ...validateConstraint(constraint, at),
    ...validateNotRepeated(constraint, constraints!.slice(index + 1), at.child('{topologyKey, whenUnsatisfiable}')),
    ...validateMinDomains(constraint, at.child('minDomains')),
    ...supportedValue(constraint.nodeAffinityPolicy, inclusionPolicies, at.child('nodeAffinityPolicy')),
    ...supportedValue(constraint.nodeTaintsPolicy, inclusionPolicies, at.child('nodeTaintsPolicy')),
    ...validateMatchLabelKeys(constraint, at),
    ...validateLabelSelector(constraint.labelSelector, at.child('labelSelector')),
  ]);
}

function validateConstraint(constraint: TopologySpreadConstraint, path: FieldPath): FieldError[] {
  const errors = positive(constraint.maxSkew, path.child('maxSkew'));
  if (isEmpty(constraint.topologyKey)) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  const action = constraint.whenUnsatisfiable ?? '';
  if (!actions.includes(action)) errors.push(notSupported(path.child('whenUnsatisfiable'), action, actions));
  return errors;
}

function validateNotRepeated(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  others: readonly TopologySpreadConstraint[],
  path: FieldPath,
): FieldError[] {
  const isRepeated = others.some(
    (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
  );
  return isRepeated ? [duplicate(path, `{${topologyKey}, ${whenUnsatisfiable}}`)] : [];
}

function validateMinDomains(
  { minDomains, whenUnsatisfiable }: TopologySpreadConstraint,
  path: FieldPath,
): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = positive(minDomains, path);
  if (whenUnsatisfiable !== 'DoNotSchedule')
    errors.push(
      invalid(path, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`),
    );
  return errors;
}
