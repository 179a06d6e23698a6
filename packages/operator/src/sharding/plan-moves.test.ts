import { SeededRandom } from '@pintle/async';
import { formatShardMap, parseShardMap, type ShardSlot } from '@pintle/machinery/selectors';
import { expect, test } from 'vitest';
import { emptyMap, nextMap } from './plan-moves.ts';

const names = (...members: string[]): Set<string> => new Set(members);
const owners = (slots: readonly ShardSlot[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { owner } of slots) counts[owner] = (counts[owner] ?? 0) + 1;
  return counts;
};
/** Completes all moves, as their members would. */
const settled = (slots: readonly ShardSlot[]): readonly ShardSlot[] =>
  slots.map((slot) =>
    slot.target === '' ? slot : { owner: slot.target, epoch: slot.epoch + 1, target: '', isDraining: false },
  );

test('the first member gets all slots, and a second half of them', () => {
  const one = nextMap(emptyMap(), names('a'))!;
  expect(owners(one)).toEqual({ a: 256 });
  const moving = nextMap(one, names('a', 'b'))!;
  expect(owners(moving)).toEqual({ a: 256 });
  expect(formatShardMap(moving)).toBe('00-7f a 1\n80-ff a~b 1\n');
  expect(nextMap(settled(moving), names('a', 'b'))).toBeUndefined();
});

test('from 3 to 4 members and back, no more than a quarter of the slots moves', () => {
  let three = nextMap(emptyMap(), names('a', 'b', 'c'))!;
  expect(nextMap(three, names('a', 'b', 'c'))).toBeUndefined();
  const moving = nextMap(three, names('a', 'b', 'c', 'd'))!;
  expect(moving.filter(({ target }) => target === 'd')).toHaveLength(64);
  expect(moving.filter(({ target }) => target !== '' && target !== 'd')).toHaveLength(0);
  const four = settled(moving);
  three = nextMap(four, names('a', 'b', 'c'))!;
  expect(three.filter(({ owner }, slot) => owner !== four[slot]!.owner)).toHaveLength(64);
});

test('for any history of members: every slot has a live owner, epochs only grow, and moves end in balance', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = new SeededRandom(seed);
    let slots = emptyMap();
    let live = names('m0');
    for (let step = 0; step < 12; step++) {
      live = new Set(Array.from({ length: 6 }, (_, i) => `m${i}`).filter(() => random.below(2) === 0));
      if (live.size === 0) live.add('m0');
      const next = nextMap(slots, live) ?? slots;
      for (const [slot, { owner, epoch, target }] of next.entries()) {
        const before = slots[slot]!;
        const isSound = live.has(owner) && (target === '' || live.has(target)) && target !== owner;
        if (!isSound || epoch < before.epoch || (owner !== before.owner && epoch === before.epoch))
          expect.fail(`seed ${seed}, step ${step}, slot ${slot}`);
      }
      const text = formatShardMap(next);
      if (formatShardMap(parseShardMap(text) ?? []) !== text) expect.fail(text);
      slots = next.map((slot) => (random.below(3) === 0 ? settled([slot])[0]! : slot));
    }
    for (let next = nextMap(slots, live); next !== undefined; next = nextMap(slots, live)) slots = settled(next);
    const counts = Object.values(owners(settled(slots)));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  }
});
