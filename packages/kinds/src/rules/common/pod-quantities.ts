import { parseQuantity } from '@pintle/machinery/quantity';
import type { Quantity } from '../../generated/meta/v1.ts';

/** As Kubernetes writes it. */
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

/** No part of a unit; thousandths are the smallest that count. */
export function isWholeNumber(quantity: Quantity): boolean {
  return parseQuantity(quantity).toInteger(-3) % 1000n === 0n;
}

/** `size` is the text of a quantity, or not: then nothing is a multiple of it. */
export function isMultipleOf(quantity: Quantity, size: string): boolean {
  try {
    const unit = parseQuantity(size).toInteger();
    return unit > 0n && isWholeNumber(size) && parseQuantity(quantity).toInteger() % unit === 0n;
  } catch {
    return false;
  }
}

/** Kubernetes counts nothing smaller than thousandths, of whatever is counted; what is smaller becomes one. */
export function roundUpAmounts(amounts: Record<string, Quantity> | undefined): void {
  for (const [name, quantity] of Object.entries(amounts ?? {})) amounts![name] = roundUpToThousandths(quantity);
}

function roundUpToThousandths(quantity: Quantity): Quantity {
  const parsed = parseQuantity(quantity);
  const thousandths = parseQuantity(`${parsed.toInteger(-3)}m`);
  return parsed.equals(thousandths) ? parsed.toString() : thousandths.toCanonicalString();
}
