import { duplicate, type FieldError, type FieldPath, invalid, notSupported, required } from '@pintle/machinery/errors';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { TopologySpreadConstraint } from '../../../../../generated/core/v1.ts';
import { checkOptionalChoice, eachItem, isEmpty, positive } from '../../../checks.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusionPolicies = ['Honor', 'Ignore'];

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
): FieldError[] {
  const last = new Map(constraints?.map((constraint, index) => [identityOf(constraint), index]));
  return eachItem(constraints, path, (constraint, at, index) => [
    ...validateConstraint(constraint, at),
    ...validateLast(constraint, last.get(identityOf(constraint)) === index, at),
    ...validateMinDomains(constraint, at.child('minDomains')),
    ...checkOptionalChoice(at.child('nodeAffinityPolicy'), constraint.nodeAffinityPolicy, inclusionPolicies),
    ...checkOptionalChoice(at.child('nodeTaintsPolicy'), constraint.nodeTaintsPolicy, inclusionPolicies),
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

function identityOf({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

/** Reports all but the last of several equal constraints. */
function validateLast(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  isLast: boolean,
  path: FieldPath,
): FieldError[] {
  const at = path.child('{topologyKey, whenUnsatisfiable}');
  return isLast ? [] : [duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`)];
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
