import { SeededRandom, SteppedClock } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { Client } from '../rest/client.ts';
import type { TransportRequest } from '../transport/transport.ts';
import { SeriesRecorder } from './series-recorder.ts';

const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'apps', uid: 'u' } };
const MINUTE = 60_000;

/** A recorder, and what it wrote: `POST Told ×1`. */
function open() {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const written: string[] = [];
  const events: Record<string, unknown>[] = [];
  const paths: string[] = [];
  let fails = false;
  let taken = 0;
  const send = async ({ method, path, body }: TransportRequest) => {
    if (fails) throw new ClientError({ code: 'Unreachable', server: 'x', isSent: false });
    const event = JSON.parse(Buffer.from(body!).toString());
    paths.push(method === 'POST' ? `${path}/${event.metadata.name}` : path);
    if (taken-- > 0) {
      const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'AlreadyExists', code: 409 };
      return { status: 409, headers: {}, body: Buffer.from(JSON.stringify(status)) };
    }
    events.push(event);
    written.push(`${method} ${event.reason ?? 'again'} ×${event.series?.count ?? 1}`);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(event)) };
  };
  const client = new Client({ transport: { send }, clock });
  const random = new SeededRandom(1);
  const recorder = new SeriesRecorder({ client, clock, random, controller: 'example.org/test', instance: 'test-0' });
  const tell = (reason = 'Told', note = 'n') =>
    recorder.record(ConfigMap, web, { type: 'Normal', reason, action: 'Tell', note });
  const flush = () => clock.advanceUntil(recorder.flush());
  return {
    clock,
    written,
    events,
    paths,
    recorder,
    tell,
    flush,
    fail: (value: boolean) => (fails = value),
    take: (names: number) => (taken = names),
  };
}

test('an event says who did what to which object, and when to the microsecond', async () => {
  const { recorder, events, tell } = open();
  tell('Told', 'x'.repeat(2_000));
  await recorder.close();
  expect(events).toEqual([
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^web\.18867251e[de][0-9a-f]{6}$/), namespace: 'apps' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.org/test',
      reportingInstance: 'test-0',
      type: 'Normal',
      reason: 'Told',
      action: 'Tell',
      note: 'x'.repeat(1_024),
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', namespace: 'apps', uid: 'u' },
    },
  ]);
});

test('a series is told at its second time, every half hour, and when it is over', async () => {
  const { clock, written, recorder, tell, flush } = open();
  tell();
  for (let i = 0; i < 4; i++) tell();
  tell('Other');
  await flush();
  expect(written).toEqual(['POST Told ×1', 'PATCH again ×2', 'POST Other ×1']);
  for (let minute = 0; minute < 36; minute += 4) {
    await clock.advance(4 * MINUTE);
    tell();
  }
  await flush();
  expect(written.slice(3)).toEqual(['PATCH again ×12']);
  await clock.advance(12 * MINUTE);
  await flush();
  expect(written.slice(4)).toEqual(['PATCH again ×14']);
  tell();
  await recorder.close();
  expect(written.at(-1)).toBe('POST Told ×1');
});

test('what was not told yet is told when the recorder closes', async () => {
  const { clock, written, recorder, tell } = open();
  for (let i = 0; i < 5; i++) tell();
  await recorder.close();
  expect(written).toEqual(['POST Told ×1', 'PATCH again ×2', 'PATCH again ×5']);
  expect(clock.pendingTimers).toBe(0);
});

test('a server that is away is waited for', async () => {
  const { clock, written, recorder, tell, fail } = open();
  fail(true);
  tell();
  await clock.advance(20_000);
  fail(false);
  await clock.advanceUntil(recorder.close());
  expect(written).toEqual(['POST Told ×1']);
});

test('a series whose first name is taken goes on under the other', async () => {
  const { paths, recorder, tell, take } = open();
  take(1);
  tell();
  tell();
  await recorder.close();
  expect(paths).toHaveLength(3);
  expect(paths[1]).not.toBe(paths[0]);
  expect(paths[2]).toBe(paths[1]);
});
