import type { FieldPath } from '@pintle/machinery/errors';
import { forbidden, invalid, required } from '@pintle/machinery/errors';
import { validateDns1123Subdomain, validateLabelKey, validateLabelValue } from '@pintle/machinery/names';
import type { NodeSelector, NodeSelectorRequirement } from '../../generated/core/v1.ts';
import type { Check } from './checks.ts';
import { problems } from './checks.ts';

/** A choice of nodes by label and by name. */
export function* checkNodeSelector({ nodeSelectorTerms }: NodeSelector, path: FieldPath): Check {
  const at = path.child('nodeSelectorTerms');
  if (!nodeSelectorTerms?.length) yield required(at, 'must have at least one node selector term');
  for (const [index, { matchExpressions = [], matchFields = [] }] of (nodeSelectorTerms ?? []).entries()) {
    for (const [position, requirement] of matchExpressions.entries())
      yield* checkLabelRequirement(requirement, at.index(index).child('matchExpressions').index(position));
    for (const [position, requirement] of matchFields.entries())
      yield* checkFieldRequirement(requirement, at.index(index).child('matchFields').index(position));
  }
}

function* checkLabelRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): Check {
  const at = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) yield forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      yield invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  yield* validateLabelKey(key, path.child('key'));
  for (const [index, value] of values.entries()) yield* problems(at.index(index), value, validateLabelValue(value));
}

function* checkFieldRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): Check {
  if (operator !== 'In' && operator !== 'NotIn')
    yield invalid(path.child('operator'), operator, 'not a valid selector operator');
  else if (values.length !== 1)
    yield required(
      path.child('values'),
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  if (key !== 'metadata.name') yield invalid(path.child('key'), key, 'not a valid field selector key');
  else
    for (const [index, value] of values.entries())
      yield* problems(path.child('values').index(index), value, validateDns1123Subdomain(value));
}
