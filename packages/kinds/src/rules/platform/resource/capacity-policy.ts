import { type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { parseQuantity } from '@pintle/machinery/quantity';
import type { Quantity } from '../../../generated/meta/v1.ts';
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../../../generated/resource/v1.ts';
import type { Check } from '../../common/checks.ts';
import { compareQuantities, wholeValue } from '../../common/quantities.ts';
import { checkUniqueItems } from './device-names.ts';

const maxValues = 10;

/** Checks the shares of a capacity that can be requested: one of a list of values or of a range, and a default. */
export function* checkRequestPolicy(policy: CapacityRequestPolicy, capacity: Quantity, path: FieldPath): Check {
  const { default: usual, validRange, validValues = [] } = policy;
  if (validValues.length > 0 && validRange !== undefined) {
    yield forbidden(
      path,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  } else if (validValues.length > 0) {
    if (!usual) yield required(path.child('default'), 'required when validValues is defined');
    else yield* checkValues(validValues, usual, capacity, path.child('validValues'));
  } else if (validRange !== undefined) {
    if (!usual) yield required(path.child('default'), 'required when validRange is defined');
    else yield* checkRange(validRange, usual, capacity, path.child('validRange'));
  }
}

function* checkValues(values: readonly Quantity[], usual: Quantity, capacity: Quantity, path: FieldPath): Check {
  for (const [index, value] of values.entries())
    if (index > 0 && compareQuantities(values[index - 1]!, value) > 0)
      yield invalid(path.index(index), shown(value), 'values must be sorted in ascending order');
  yield* checkUniqueItems(
    values,
    maxValues,
    path,
    (value) => String(wholeValue(value)),
    function* (value, at) {
      if (compareQuantities(value, capacity) > 0)
        yield invalid(at, shown(value), `option is larger than capacity value: ${shown(capacity)}`);
    },
  );
  const isTooMany = values.length > maxValues;
  if (isTooMany || !values.some((value) => compareQuantities(value, usual) === 0))
    yield invalid(path, shown(usual), 'default value is not valid according to the requestPolicy');
}

function* checkRange(range: CapacityRequestPolicyRange, usual: Quantity, capacity: Quantity, path: FieldPath): Check {
  const { min, max, step } = range;
  if (min === undefined) {
    yield required(path.child('min'), 'required when validRange is defined');
    return;
  }
  if (compareQuantities(min, capacity) > 0)
    yield invalid(path.child('min'), shown(min), `min is larger than capacity value: ${shown(capacity)}`);
  if (compareQuantities(usual, min) < 0)
    yield invalid(path.child('min'), shown(usual), `default is less than min: ${shown(min)}`);
  if (max !== undefined) yield* checkUpperEnd(min, max, usual, capacity, path.child('max'));
  if (step !== undefined) yield* checkStep(range, step, usual, capacity, path.child('step'));
}

function* checkUpperEnd(min: Quantity, max: Quantity, usual: Quantity, capacity: Quantity, path: FieldPath): Check {
  if (compareQuantities(min, max) > 0) yield invalid(path, shown(min), `min is larger than max: ${shown(max)}`);
  if (compareQuantities(max, capacity) > 0)
    yield invalid(path, shown(max), `max is larger than capacity value: ${shown(capacity)}`);
  if (compareQuantities(usual, max) > 0) yield invalid(path, shown(usual), `default is more than max: ${shown(max)}`);
}

function* checkStep(
  { min, max }: CapacityRequestPolicyRange,
  step: Quantity,
  usual: Quantity,
  capacity: Quantity,
  path: FieldPath,
): Check {
  const first = parseQuantity(min).add(parseQuantity(step)).toCanonicalString();
  if (compareQuantities(first, capacity) > 0)
    yield invalid(path, shown(step), `one step ${first} is larger than capacity value: ${shown(capacity)}`);
  for (const value of [usual, ...(max === undefined ? [] : [max])])
    if (wholeValue(step) === 0n || (wholeValue(value) - wholeValue(min)) % wholeValue(step) !== 0n)
      yield invalid(
        path,
        shown(value),
        `value is not a multiple of a given step (${shown(step)}) from (${shown(min)})`,
      );
}

function shown(quantity: Quantity): string {
  return parseQuantity(quantity).toString();
}
