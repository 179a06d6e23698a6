import { type FieldPath, invalid } from '@pintle/machinery/errors';
import { parseQuantity } from '@pintle/machinery/quantity';
import type { Quantity } from '../../generated/meta/v1.ts';
import type { Check } from './checks.ts';
import { isIntegerResource } from './resource-names.ts';

/** Returns a negative number, 0 or a positive number, as for sorting. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  return parseQuantity(left).compare(parseQuantity(right));
}

export function isNegative(quantity: Quantity): boolean {
  return compareQuantities(quantity, '0') < 0;
}

/** Returns the whole number at or above the quantity, as Kubernetes prints amounts of storage. */
export function wholeValue(quantity: Quantity): bigint {
  return parseQuantity(quantity).toInteger(0);
}

/** Returns `left` divided by `right`. */
export function ratioOf(left: Quantity, right: Quantity): number {
  return Number(parseQuantity(left).toInteger(milliScale)) / Number(parseQuantity(right).toInteger(milliScale));
}

const milliScale = -3;

/** Checks an amount of a resource: not negative, and whole if the resource is counted. */
export function* checkQuantityOf(resource: string, quantity: Quantity, path: FieldPath): Check {
  if (isNegative(quantity)) yield invalid(path, String(quantity), 'must be greater than or equal to 0');
  if (isIntegerResource(resource) && parseQuantity(quantity).toInteger(milliScale) % 1000n !== 0n)
    yield invalid(path, String(quantity), 'must be an integer');
}

export function* checkPositiveQuantity(quantity: Quantity, path: FieldPath): Check {
  if (compareQuantities(quantity, '0') <= 0) yield invalid(path, String(quantity), 'must be greater than zero');
}

/** Formats a quantity as Kubernetes does. */
export function formatQuantityValue(quantity: Quantity): string {
  return parseQuantity(quantity).toString();
}

export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return parseQuantity(left).add(parseQuantity(right)).toCanonicalString();
}

/** -1, 0 or 1. */
export function quantitySign(quantity: Quantity): number {
  return parseQuantity(quantity).sign;
}

/** True for a quantity without a fraction; fractions below a thousandth are ignored. */
export function isWholeNumber(quantity: Quantity): boolean {
  return parseQuantity(quantity).toInteger(-3) % 1000n === 0n;
}

/** `size` is the text of a quantity; if it is invalid, returns false. */
export function isMultipleOf(quantity: Quantity, size: string): boolean {
  try {
    const unit = parseQuantity(size).toInteger();
    return unit > 0n && isWholeNumber(size) && parseQuantity(quantity).toInteger() % unit === 0n;
  } catch {
    return false;
  }
}

/** Rounds fractions below a thousandth up, as Kubernetes does. */
export function roundUpAmounts(amounts: Record<string, Quantity> | undefined): void {
  for (const [name, quantity] of Object.entries(amounts ?? {})) amounts![name] = roundUpToThousandths(quantity);
}

function roundUpToThousandths(quantity: Quantity): Quantity {
  const parsed = parseQuantity(quantity);
  const thousandths = parseQuantity(`${parsed.toInteger(-3)}m`);
  return parsed.equals(thousandths) ? parsed.toString() : thousandths.toCanonicalString();
}
