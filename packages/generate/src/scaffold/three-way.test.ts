import { describe, expect, test } from 'vitest';
import { mergeThreeWay } from './three-way.ts';

const text = (words: string): string => words.split(' ').join('\n');
const merge = (base: string, mine: string, theirs: string) =>
  mergeThreeWay({ base: text(base), mine: text(mine), theirs: text(theirs) });

describe('mergeThreeWay', () => {
  test.each([
    ['nothing changed', 'a b c', 'a b c', 'a b c', 'a b c'],
    ['one side changed', 'a b c', 'a X c', 'a b c', 'a X c'],
    ['the other did', 'a b c', 'a b c', 'a b Y', 'a b Y'],
    ['both, apart', 'a b c d', 'X b c d', 'a b c Y', 'X b c Y'],
    ['both alike', 'a b c', 'a X c', 'a X c', 'a X c'],
    ['lines came and went', 'a b c d e', 'a n b c d e', 'a b c e', 'a n b c e'],
    ['one begins, the other ends', 'a b', 'n a b', 'a b z', 'n a b z'],
    ['from nothing', '', 'a', '', 'a'],
  ])('%s', (_, base, mine, theirs, expected) => {
    expect(merge(base, mine, theirs)).toEqual({ text: text(expected), conflicts: 0 });
  });

  test('where both say something of their own, it shows both', () => {
    const { text: shown, conflicts } = merge('a b c', 'a X c', 'a Y c');
    expect(conflicts).toBe(1);
    expect(shown.split('\n')).toEqual(['a', '<<<<<<< yours', 'X', '=======', 'Y', '>>>>>>> scaffold', 'c']);
  });

  test('line ends of another system are no change', () => {
    expect(mergeThreeWay({ base: 'a\nb\n', mine: 'a\r\nb\r\n', theirs: 'a\nc\n' })).toEqual({
      text: 'a\nc\n',
      conflicts: 0,
    });
  });
});
