import { deferred, SeededRandom, SteppedClock } from '@pintle/async';
import { expect, test, vi } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import type { WebhookSinkOptions } from './webhook-sink.ts';
import { WebhookSink } from './webhook-sink.ts';

const event = (auditID: string): AuditEvent => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/',
  verb: 'get',
  user: {},
  requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
  stageTimestamp: '2026-01-02T03:04:05.000000Z',
});

/** A sink whose webhook answers in turn with `answers`, then with 200. */
function open(answers: (number | Error)[] = [], options: Partial<WebhookSinkOptions> = {}) {
  const clock = new SteppedClock();
  const taken: string[][] = [];
  let calls = 0;
  const send = async (body: Uint8Array): Promise<number> => {
    calls++;
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    const list = JSON.parse(Buffer.from(body).toString());
    expect(list).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' });
    if (answer === 200) taken.push(list.items.map(({ auditID }: AuditEvent) => auditID));
    return answer;
  };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const sink = new WebhookSink({ send, clock, random: new SeededRandom(1), onError, ...options });
  return { sink, clock, taken, errors, calls: () => calls };
}

test('events go together: when there are enough of them, or have waited long enough', async () => {
  const { sink, clock, taken } = open([], { maxBatch: 3, maxWaitMs: 1_000 });
  for (const id of ['a', 'b', 'c', 'd']) sink.write(event(id));
  await vi.waitFor(() => expect(taken).toEqual([['a', 'b', 'c']]));
  await clock.advance(1_000);
  await vi.waitFor(() => expect(taken).toEqual([['a', 'b', 'c'], ['d']]));
  await sink.close();
});

test('what fails for a while is tried again, later each time', async () => {
  const { sink, clock, taken, calls } = open([503, new Error('refused'), 429], { maxBatch: 1, initialBackoffMs: 100 });
  sink.write(event('a'));
  await vi.waitFor(() => expect(calls()).toBe(1));
  expect(taken).toEqual([]);
  await vi.waitFor(async () => {
    await clock.advance(400);
    expect(taken).toEqual([['a']]);
  });
  expect(calls()).toBe(4);
  expect(sink.dropped).toBe(0);
  await sink.close();
});

test('what is refused for good, or five times, is dropped, counted and told', async () => {
  const { sink, errors } = open([400], { maxBatch: 1 });
  sink.write(event('a'));
  await vi.waitFor(() => expect(sink.dropped).toBe(1));
  expect(String(errors[0])).toContain('answered 400');
  await sink.close();
});

test('writing never waits: what is too much is dropped and counted', async () => {
  const stuck = deferred<number>();
  const { sink } = open([], { send: () => stuck.promise, maxBatch: 2, maxQueued: 5 });
  for (let i = 0; i < 10; i++) sink.write(event(`${i}`));
  expect(sink.dropped).toBe(5);
  stuck.resolve(200);
  await sink.close();
});

test('what waits when the server stops is sent first', async () => {
  const { sink, taken } = open();
  sink.write(event('last'));
  await sink.close();
  expect(taken).toEqual([['last']]);
  sink.write(event('too late'));
  expect(sink.dropped).toBe(1);
});
