import { describe, expect, test } from 'vitest';
import { IndexSet } from './index-set.ts';

describe('IndexSet', () => {
  const read = (text: string, completions = 100) => IndexSet.parse(text, completions);

  test('writes neighbours as one interval, and two as two', () => {
    expect(read('').with([4, 0, 1, 2, 7, 6]).toString()).toBe('0-2,4,6,7');
  });

  test('reads what it wrote, within the completions', () => {
    expect(read('0-2,4,6,7').toString()).toBe('0-2,4,6,7');
    expect(read('0-2,4,6-9', 7).toString()).toBe('0-2,4,6');
    expect(read('x,1,-3,5-').toString()).toBe('1');
  });

  test('counts and finds', () => {
    const set = read('1-3,7');
    expect(set.size).toBe(4);
    expect([0, 1, 3, 4, 7, 8].filter((index) => set.has(index))).toEqual([1, 3, 7]);
    expect(set.overlap(read('0-1,3-9'))).toBe(3);
  });

  test('gives the first that are missing', () => {
    expect(read('0,2-3').firstAbsent(3, 6)).toEqual([1, 4, 5]);
    expect(read('0,2-3').firstAbsent(1, 6)).toEqual([1]);
    expect(read('0-5').firstAbsent(3, 6)).toEqual([]);
    expect(read('4-5').firstAbsent(9, 3)).toEqual([0, 1, 2]);
  });
});
