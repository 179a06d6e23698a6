import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { Expectations } from './expectations.ts';

test('nothing is expected of an object nobody expects anything of', () => {
  expect(new Expectations().areMet('a')).toBe(true);
});

test('expectations are met when each creation and each deletion was heard', () => {
  const expectations = new Expectations();
  expectations.expect('a', { creations: 2, deletions: ['u1', 'u2'] });
  const heard = [
    () => expectations.created('a'),
    () => expectations.deleted('a', 'u1'),
    () => expectations.deleted('a', 'u1'),
    () => expectations.created('a'),
    () => expectations.deleted('a', 'u2'),
  ];
  const met = heard.map((hear) => {
    hear();
    return expectations.areMet('a');
  });
  expect(met).toEqual([false, false, false, false, true]);
});

test('what was not heard for five minutes is no longer waited for', async () => {
  const clock = new SteppedClock();
  const expectations = new Expectations({ clock });
  expectations.expect('a', { creations: 1 });
  await clock.advance(299_999);
  expect(expectations.areMet('a')).toBe(false);
  await clock.advance(1);
  expect(expectations.areMet('a')).toBe(true);
});

test('what is forgotten, and what comes too often, changes nothing', () => {
  const expectations = new Expectations();
  expectations.expect('a', { creations: 1 });
  expectations.created('a');
  expectations.created('a');
  expectations.created('b');
  expect(expectations.areMet('a')).toBe(true);
  expectations.expect('a', { creations: 1 });
  expectations.forget('a');
  expect(expectations.areMet('a')).toBe(true);
});
