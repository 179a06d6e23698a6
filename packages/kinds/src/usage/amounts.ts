import { parseQuantity, Quantity } from '@pintle/machinery/quantity';

/** How much of each resource: `cpu` → 500m. */
export type Amounts = ReadonlyMap<string, Quantity>;

export function readAmounts(list: Readonly<Record<string, unknown>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(String(text))]));
}

export function addAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  return combine(a, b, (left, right) => left.add(right));
}

export function largerAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  return combine(a, b, (left, right) => (left.compare(right) >= 0 ? left : right));
}

/** What `a` has and `b` has not counts in full; the other way round it is negative. */
export function subtractAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  const result = new Map(a);
  for (const [name, amount] of b) result.set(name, (a.get(name) ?? new Quantity(0n)).subtract(amount));
  return result;
}

export function formatAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, amount.toCanonicalString()]),
  );
}

function combine(a: Amounts, b: Amounts, merge: (left: Quantity, right: Quantity) => Quantity): Map<string, Quantity> {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const before = result.get(name);
    result.set(name, before === undefined ? amount : merge(before, amount));
  }
  return result;
}
