import type { Container, Pod } from '../generated/core/v1.ts';
import type { Amounts } from './amounts.ts';
import { addAmounts, largerAmounts, readAmounts } from './amounts.ts';

/**
 * What a pod asks for, or may take at most. Containers run together and add up; init containers run one after the
 * other before them, so that only the largest counts; those that go on running count with everything after them.
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
