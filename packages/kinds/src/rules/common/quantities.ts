import type { FieldPath } from '@pintle/machinery/errors';
import { invalid } from '@pintle/machinery/errors';
import { parseQuantity } from '@pintle/machinery/quantity';
import type { Quantity } from '../../generated/meta/v1.ts';
import type { Check } from './checks.ts';
import { isIntegerResource } from './resource-names.ts';

/** Below 0, 0, or above, as for sorting. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  return parseQuantity(left).compare(parseQuantity(right));
}

export function isNegative(quantity: Quantity): boolean {
  return compareQuantities(quantity, '0') < 0;
}

/** The whole number at or above the quantity, as Kubernetes prints amounts of storage. */
export function wholeValue(quantity: Quantity): bigint {
  return parseQuantity(quantity).toInteger(0);
}

/** How many times `right` is contained in `left`. */
export function ratioOf(left: Quantity, right: Quantity): number {
  return Number(parseQuantity(left).toInteger(milliScale)) / Number(parseQuantity(right).toInteger(milliScale));
}

const milliScale = -3;

/** An amount of a resource: not negative, and whole if the resource is counted. */
export function* checkQuantityOf(resource: string, quantity: Quantity, path: FieldPath): Check {
  if (isNegative(quantity)) yield invalid(path, String(quantity), 'must be greater than or equal to 0');
  if (isIntegerResource(resource) && parseQuantity(quantity).toInteger(milliScale) % 1000n !== 0n)
    yield invalid(path, String(quantity), 'must be an integer');
}

export function* checkPositiveQuantity(quantity: Quantity, path: FieldPath): Check {
  if (compareQuantities(quantity, '0') <= 0) yield invalid(path, String(quantity), 'must be greater than zero');
}
