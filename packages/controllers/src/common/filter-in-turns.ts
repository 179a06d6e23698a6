import { type Clock, runInNextTurn, Turns } from '@pintle/async';

type Monotonic = Pick<Clock, 'monotonic'>;

/** Time of the current turn of the event loop, which all callers share. */
const CURRENT = new WeakMap<Monotonic, Turns>();

function turnsOf(clock: Monotonic): Turns {
  const known = CURRENT.get(clock);
  if (known !== undefined) return known;
  const turns = new Turns(clock);
  CURRENT.set(clock, turns);
  runInNextTurn(() => void CURRENT.delete(clock));
  return turns;
}

/**
 * Returns the items that pass a test, in their order. A namespace may hold thousands of objects with selectors of thousands
 * of labels, and each change of a pod with as many labels is compared with all of them: what is too long for this turn of the
 * event loop continues in others. Returns a promise only then.
 */
export function filterInTurns<T>(
  clock: Monotonic,
  items: readonly T[],
  isWanted: (item: T) => boolean,
): T[] | Promise<T[]> {
  const turns = turnsOf(clock);
  const wanted: T[] = [];
  for (let index = 0; index < items.length; index++) {
    const turn = turns.next();
    if (turn !== undefined) return filterRest(turns, turn, items.slice(index), isWanted, wanted);
    if (isWanted(items[index]!)) wanted.push(items[index]!);
  }
  return wanted;
}

async function filterRest<T>(
  turns: Turns,
  begin: Promise<void>,
  items: readonly T[],
  isWanted: (item: T) => boolean,
  wanted: T[],
): Promise<T[]> {
  await begin;
  for (const item of items) {
    const turn = turns.next();
    if (turn !== undefined) await turn;
    if (isWanted(item)) wanted.push(item);
  }
  return wanted;
}

/** Applies a function to items, at once unless they are a promise. */
export function thenMap<T, R>(result: T[] | Promise<T[]>, map: (items: T[]) => R): R | Promise<R> {
  return Array.isArray(result) ? map(result) : result.then(map);
}
