import { expect, test } from 'vitest';
import { isIgnored } from './source-watcher.ts';

test.each(['fruit.ts', 'test.ts', 'fruit.test.data.json', 'contest.ts', 'explore.ts'])(
  '%s is part of the program',
  (name) => expect(isIgnored(name)).toBe(false),
);

test.each(['fruit.test.ts', 'fruit.test.mts', 'fruit.test.tsx', '.fruit.ts.swp', 'fruit.ts~', 'fruit.explore.ts'])(
  '%s is not',
  (name) => expect(isIgnored(name)).toBe(true),
);
