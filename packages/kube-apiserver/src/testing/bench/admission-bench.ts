import { realClock } from '@pintle/async';
import type { Hooked } from '../admission-hook.ts';
import { openHooked } from '../admission-hook.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WARM_UP = 2_000;
const CREATES = 1_500;
const OTHER_HOOKS = 200;

/** Measures the cost of webhooks for a CREATE: none, many that do not match, and one on this machine. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using hooked = await openHooked(() => ({}), { clock: realClock });
  const alone = await measure(hooked, 'alone');
  print(`CREATE without webhooks: ${describe(alone)}`);
  for (let i = 0; i < OTHER_HOOKS; i++) {
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['*'], operations: ['*'], resources: ['things'] }];
    await hooked.register('Validating', `other-${i}`, { rules });
  }
  const unmatched = await measure(hooked, 'unmatched');
  print(`CREATE with ${OTHER_HOOKS} webhooks for others: ${describe(unmatched, alone)}`);
  await hooked.register('Validating', 'asked');
  const asked = await measure(hooked, 'asked');
  print(`CREATE with one validating webhook: ${describe(asked, unmatched)}`);
}

/** Returns the duration of each create, sorted. */
async function measure({ api }: Hooked, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + CREATES; i++) {
    const startedAt = performance.now();
    const { status } = await api.post(MAPS, { metadata: { name: `${prefix}-${i}` }, data: { a: 'b' } });
    if (status !== 201) throw new Error(`Cannot measure a CREATE: the answer was ${status}`);
    if (i >= WARM_UP) times.push(performance.now() - startedAt);
  }
  return times.sort((left, right) => left - right);
}

function describe(times: readonly number[], before?: readonly number[]): string {
  const added = before === undefined ? '' : `, adds ${micros(at(times, 0.5) - at(before, 0.5))} to p50`;
  return `p50 ${micros(at(times, 0.5))}, p99 ${micros(at(times, 0.99))}${added}`;
}

function at(times: readonly number[], share: number): number {
  return times[Math.floor(times.length * share)] ?? 0;
}

function micros(ms: number): string {
  return `${(ms * 1000).toFixed(0)} µs`;
}
