import { parseQuantity, Quantity } from '@pintle/machinery/quantity';
import type { Container, Pod } from '../generated/core/v1.ts';

/** Amounts of resources: `cpu` → 500m. */
export type Amounts = ReadonlyMap<string, Quantity>;

export function readAmounts(list: Readonly<Record<string, unknown>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(String(text))]));
}

export function addAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  return combine(a, b, (left, right) => left.add(right));
}

function largerAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  return combine(a, b, (left, right) => (left.compare(right) >= 0 ? left : right));
}

/** Amounts that only `b` has become negative. */
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

/**
 * Returns the requests or limits of a pod. Those of containers, which run together, add up; init containers run one
 * after the other before them, so only the largest counts; sidecars count with everything after them.
 */
export function podAmounts(
  { spec }: Pod,
  which: 'requests' | 'limits',
): Map<string, ReturnType<Amounts['get']> & object> {
  const amountsOf = ({ resources }: Container): Amounts => readAmounts(resources?.[which]);
  let running: Amounts = new Map();
  for (const container of spec?.containers ?? []) running = addAmounts(running, amountsOf(container));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars = addAmounts(sidecars, amountsOf(container));
      starting = largerAmounts(starting, sidecars);
    } else starting = largerAmounts(starting, addAmounts(sidecars, amountsOf(container)));
  }
  let total = largerAmounts(addAmounts(running, sidecars), starting);
  for (const [name, amount] of readAmounts(spec?.resources?.[which])) total.set(name, amount);
  const overhead = readAmounts(spec?.overhead);
  if (which === 'requests') total = addAmounts(total, overhead);
  else for (const [name, amount] of overhead) if (total.has(name)) total.set(name, total.get(name)!.add(amount));
  return total;
}
