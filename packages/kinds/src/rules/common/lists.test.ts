import { expect, test } from 'vitest';
import { repeats } from './lists.ts';

test('repeats tells which items came before', () => {
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(repeats())).toEqual([false, false, true, false, true, true]);
});
