import type { Amounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';

/** The sum of what objects use, of the named entries of a quota alone. An object costs no more than the entries it uses. */
export function totalUsage(names: ReadonlySet<string>, usages: Iterable<Amounts>): Map<string, Quantity> {
  const total = new Map([...names].map((name) => [name, new Quantity(0n)]));
  for (const usage of usages) {
    for (const [name, amount] of usage) {
      const before = total.get(name);
      if (before !== undefined) total.set(name, before.add(amount));
    }
  }
  return total;
}
