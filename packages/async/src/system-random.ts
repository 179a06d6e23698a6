import { randomFillSync, randomUUID } from 'node:crypto';
import { drawBelow, drawUnit } from './draw.ts';
import type { Random } from './random.ts';

/** The system's cryptographically secure randomness. */
export const systemRandom: Random = {
  next: () => drawUnit(nextWord),
  below: (bound) => drawBelow(nextWord, bound),
  uuid: () => randomUUID(),
};

/** Words fetched in advance: a system call for each costs a microsecond. Each is used once. */
const words = new Uint32Array(256);
let used = words.length;

function nextWord(): number {
  if (used === words.length) {
    randomFillSync(words);
    used = 0;
  }
  const word = words[used]!;
  words[used++] = 0;
  return word;
}
