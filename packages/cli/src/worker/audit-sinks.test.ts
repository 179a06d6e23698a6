import type { AuditEvent } from '@pintle/apiserver';
import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import type { EncodedEvent } from '../serve/server-processes.ts';
import { AuditSinks } from './audit-sinks.ts';

function event(auditID: string): AuditEvent {
  return { auditID, level: 'Metadata', stage: 'ResponseComplete', requestURI: '/', verb: 'get', user: {} } as never;
}

function open({ isBlocking = true } = {}) {
  const sent: { ids: string[]; through: number }[] = [];
  let gate = deferred();
  gate.resolve();
  const sinks = new AuditSinks({
    isBlocking,
    send: async (events: readonly EncodedEvent[], through) => {
      sent.push({
        ids: events.map(([json, isAnonymous]) => `${JSON.parse(json).auditID}${isAnonymous ? '?' : ''}`),
        through,
      });
      await gate.promise;
    },
  });
  return {
    sinks,
    sent,
    hold: () => {
      gate = deferred();
      return gate;
    },
  };
}

test('events of a turn leave together, in order, those of anonymous requests among them', async () => {
  const { sinks, sent } = open();
  sinks.users.write(event('a'));
  sinks.anonymous.write(event('b'));
  sinks.users.write(event('c'));
  await expect.poll(() => sent).toEqual([{ ids: ['a', 'b?', 'c'], through: 3 }]);
});

test('a writer that waits goes on once its event is written, and knows when it could not be', async () => {
  const { sinks, sent } = open();
  sinks.users.write(event('a'));
  let isWritten = false;
  const waiting = Promise.resolve(sinks.users.written!()).then(() => {
    isWritten = true;
  });
  await expect.poll(() => sent.length).toBe(1);
  expect(isWritten).toBe(false);
  sinks.audited(1, true);
  await waiting;
  expect(sinks.users.isFailing).toBe(true);
  sinks.users.write(event('b'));
  sinks.audited(2, false);
  await sinks.flushed();
  expect(sinks.users.isFailing).toBe(false);
});

test('events wait while others are on their way', async () => {
  const { sinks, sent, hold } = open({ isBlocking: false });
  expect(sinks.users.written).toBeUndefined();
  const gate = hold();
  sinks.users.write(event('a'));
  await expect.poll(() => sent.length).toBe(1);
  for (const id of ['b', 'c']) sinks.users.write(event(id));
  await new Promise(setImmediate);
  expect(sent).toHaveLength(1);
  gate.resolve();
  await expect.poll(() => sent.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
});

test('what waits is bounded: more is dropped and counted', async () => {
  const { sinks, hold } = open({ isBlocking: false });
  hold();
  const large = { ...event('x'), requestURI: 'y'.repeat(1024 * 1024) };
  for (let index = 0; index < 20; index++) sinks.users.write(large);
  expect(sinks.users.dropped).toBeGreaterThan(3);
  expect(sinks.users.dropped).toBeLessThan(6);
});

test('events of anonymous requests do not take the place of those of users', async () => {
  const { sinks, sent, hold } = open({ isBlocking: false });
  const gate = hold();
  sinks.users.write(event('first'));
  await expect.poll(() => sent.length).toBe(1);
  const large = { ...event('stranger'), requestURI: 'y'.repeat(1024 * 1024) };
  for (let index = 0; index < 20; index++) sinks.anonymous.write(large);
  sinks.users.write(event('user'));
  gate.resolve();
  await expect.poll(() => sent.flatMap(({ ids }) => ids)).toContain('user');
  expect([sinks.users.dropped, sinks.anonymous.dropped! > 3]).toEqual([0, true]);
});

test('nothing is dropped that a writer waits for', async () => {
  const { sinks, sent, hold } = open({ isBlocking: true });
  const gate = hold();
  const large = { ...event('x'), requestURI: 'y'.repeat(1024 * 1024) };
  sinks.users.write(event('first'));
  await expect.poll(() => sent.length).toBe(1);
  for (let index = 0; index < 20; index++) sinks.users.write(large);
  gate.resolve();
  await expect.poll(() => sent.at(-1)!.through).toBe(21);
  expect(sinks.users.dropped).toBe(0);
});

test('events that cannot leave are lost, and nobody waits for them', async () => {
  let calls = 0;
  const sinks = new AuditSinks({
    isBlocking: true,
    send: async () => {
      calls++;
      throw new Error('gone');
    },
  });
  sinks.users.write(event('a'));
  await sinks.users.written!();
  expect([sinks.users.isFailing, sinks.users.dropped, calls]).toEqual([true, 1, 1]);
});
