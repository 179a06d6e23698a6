import type { Clock } from '@pintle/async';
import { Deployment } from '@pintle/kinds/apps/v1';
import type { Pod, Service } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { budgetsOf } from '../disruption/disruption-controller.ts';
import { servicesOf } from '../endpoints/endpoint-slice-controller.ts';
import { podsOf } from '../endpoints/service-pods.ts';
import { filterInTurns } from './filter-in-turns.ts';
import { ownerRequests, selects } from './owners.ts';

const COUNT = 100;
const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'x', labels: { zz: 'none' } } };

/** A clock on which each look at an object takes five milliseconds. */
class Looks {
  seen = 0;
  readonly clock = { monotonic: () => this.seen * 5 } as unknown as Clock;

  objects<T extends KubernetesObject>(content: (index: number) => Omit<T, 'metadata'>): T[] {
    return Array.from({ length: COUNT }, (_, index) => {
      const metadata = { name: `${index}`, namespace: 'x', labels: { zz: 'none' } };
      const { spec } = content(index) as { spec?: object };
      const see = (): object | undefined => {
        this.seen++;
        return spec;
      };
      return {
        metadata,
        get spec() {
          return see();
        },
      } as unknown as T;
    });
  }

  /** A manager whose caches have these objects. */
  holding(objects: readonly KubernetesObject[]): Pick<Manager, 'informers' | 'clock'> {
    const informers = { find: () => ({ cache: { list: () => objects } }) };
    return { informers, clock: this.clock } as unknown as Manager;
  }
}

const evenOnes = (index: number) => (index % 2 === 0 ? 'none' : 'other');
const names = (requests: Iterable<{ readonly name: string }>): string[] => Array.from(requests, ({ name }) => name);
const expected = Array.from({ length: COUNT / 2 }, (_, index) => `${index * 2}`);

test.each<[string, (looks: Looks) => unknown]>([
  [
    'disruption budgets',
    (looks) =>
      budgetsOf(
        looks.holding(looks.objects((i) => ({ spec: { selector: { matchLabels: { zz: evenOnes(i) } } } }) as never)),
        pod,
      ),
  ],
  [
    'services',
    (looks) =>
      servicesOf(
        looks.holding(looks.objects<Service>((i) => ({ spec: { selector: { zz: evenOnes(i) } } }) as never)),
        pod,
      ),
  ],
  [
    'owners that might adopt it',
    (looks) =>
      ownerRequests(
        looks.holding(looks.objects((i) => ({ spec: { selector: { matchLabels: { zz: evenOnes(i) } } } }) as never)),
        Deployment,
        pod,
        selects,
      ),
  ],
])('a pod is compared with many %s in turns', async (_what, ask) => {
  const looks = new Looks();
  const asked = ask(looks) as Iterable<{ name: string }> | Promise<Iterable<{ name: string }>>;
  const before = names(asked instanceof Promise ? [] : asked);
  expect(looks.seen).toBeLessThan(COUNT / 4);
  expect(before).toEqual([]);
  expect(names(await asked)).toEqual(expected);
});

test('a service is compared with many pods in turns', async () => {
  let seen = 0;
  const clock = { monotonic: () => seen * 5 } as unknown as Clock;
  const pods = Array.from({ length: COUNT }, (_, index) => ({
    metadata: {
      name: `${index}`,
      get labels() {
        seen++;
        return { zz: evenOnes(index) };
      },
    },
  })) as unknown as Pod[];
  const found = podsOf(clock, { spec: { selector: { zz: 'none' } } } as unknown as Service, pods);
  expect(seen).toBeLessThan(COUNT / 4);
  expect((await found).map(({ metadata: { name } }) => name)).toEqual(expected);
});

test('what comes in one turn of the event loop shares its time, and what is short is filtered at once', async () => {
  let elapsed = 0;
  const clock = { monotonic: () => elapsed };
  const isWanted = (item: number): boolean => {
    elapsed += 4;
    return item > 1;
  };
  expect(filterInTurns(clock, [1, 2], isWanted)).toEqual([2]);
  const second = filterInTurns(clock, [1, 2], isWanted);
  expect(second).toBeInstanceOf(Promise);
  expect(elapsed).toBe(12);
  expect(await second).toEqual([2]);
});
