import { expect, test } from 'vitest';
import { toMs } from './duration.ts';

test('a duration is a number of milliseconds, or text with units up to hours', () => {
  expect([1_500, '1.5s', '1h30m', '36h'].map(toMs)).toEqual([1_500, 1_500, 5_400_000, 129_600_000]);
  for (const text of ['29d', '5', 'soon', ''])
    expect(() => toMs(text)).toThrow(`Cannot read duration "${text}": write hours, minutes and seconds, as in 36h`);
});
