import { SeededRandom, SteppedClock } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { Client } from '../rest/client.ts';
import type { TransportRequest } from '../transport/transport.ts';
import { EventRecorder } from './event-recorder.ts';

const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'apps', uid: 'u' } };

/** A recorder, and what it wrote: `POST ×1 message`. */
function open() {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const written: string[] = [];
  const errors: unknown[] = [];
  const requests: (TransportRequest & { event: Record<string, unknown> })[] = [];
  let answer: () => number = () => 200;
  const send = async (request: TransportRequest) => {
    const status = answer();
    const event = JSON.parse(Buffer.from(request.body!).toString());
    if (status === 200) {
      requests.push({ ...request, event });
      written.push(`${request.method} ×${event.count} ${event.message}`);
    }
    const reason = { 404: 'NotFound', 409: 'AlreadyExists' }[status] ?? 'Forbidden';
    const body = status === 200 ? event : { kind: 'Status', status: 'Failure', reason, code: status };
    return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
  };
  const client = new Client({ transport: { send }, clock });
  const options = {
    client,
    clock,
    component: 'test',
    random: new SeededRandom(1),
    onError: (e: unknown) => errors.push(e),
  };
  const recorder = new EventRecorder(options);
  const tell = (message: string, object = web) =>
    recorder.record(ConfigMap, object, { type: 'Normal', reason: 'Told', message });
  return { clock, written, errors, requests, recorder, tell, answers: (next: () => number) => (answer = next) };
}

test('an event names the object, the source and the time', async () => {
  const { recorder, requests, tell } = open();
  tell('hello');
  await recorder.close();
  expect(requests[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/apps/events' });
  expect(requests[0]?.event).toMatchObject({
    metadata: { name: expect.stringMatching(/^web\.18867251e[de][0-9a-f]{6}$/), namespace: 'apps' },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'apps', name: 'web', uid: 'u' },
    source: { component: 'test' },
    type: 'Normal',
    reason: 'Told',
    firstTimestamp: '2026-01-01T00:00:00Z',
  });
});

test('the same again is counted, something else is not', async () => {
  const { recorder, written, tell, requests } = open();
  for (const message of ['a', 'b', 'a', 'a']) tell(message);
  await recorder.close();
  expect(written).toEqual(['POST ×1 a', 'POST ×1 b', 'PATCH ×2 a', 'PATCH ×3 a']);
  expect(requests[3]?.path).toBe(
    `/api/v1/namespaces/apps/events/${(requests[0]!.event.metadata as { name: string }).name}`,
  );
});

test('the tenth of similar events is combined with those that follow, until they pause', async () => {
  const { recorder, written, requests, tell, clock } = open();
  for (let i = 1; i <= 12; i++) tell(`pod ${i}`);
  await recorder.flush();
  expect(requests.slice(8, 10).map(({ event }) => event.reportingComponent)).toEqual(['test', '']);
  expect(written.slice(8)).toEqual([
    'POST ×1 pod 9',
    'POST ×1 (combined from similar events): pod 10',
    'PATCH ×2 (combined from similar events): pod 11',
    'PATCH ×3 (combined from similar events): pod 12',
  ]);
  await clock.advance(600_001);
  tell('pod 13');
  await recorder.close();
  expect(written.at(-1)).toBe('POST ×1 pod 13');
});

test('one object has 25 events at once and then one in five minutes; others are not held back', async () => {
  const { recorder, written, tell, clock } = open();
  for (let i = 0; i < 40; i++) tell('again');
  tell('other', { ...web, metadata: { ...web.metadata, uid: 'v' } });
  await recorder.flush();
  expect(written).toHaveLength(26);
  await clock.advance(300_000);
  tell('again');
  tell('again');
  await recorder.close();
  expect(written.slice(24)).toEqual(['PATCH ×25 again', 'POST ×1 other', 'PATCH ×41 again']);
});

test('a server that is away is waited for; the queue is bounded; nobody fails', async () => {
  const { recorder, written, tell, clock, errors, answers } = open();
  answers(() => {
    throw new ClientError({ code: 'Unreachable', server: 'x', isSent: false });
  });
  for (let i = 0; i < 1_100; i++) tell('hi', { ...web, metadata: { ...web.metadata, uid: `${i}` } });
  await clock.advance(30_000);
  answers(() => 200);
  await clock.advanceUntil(recorder.close());
  expect(written).toHaveLength(1_001);
  expect(errors).toHaveLength(99);
  expect(errors[0]).toMatchObject({ failure: { code: 'Dropped' } });
});

test('what the server refuses is given up, and told anew next time', async () => {
  const { recorder, written, tell, errors, answers } = open();
  answers(() => 403);
  tell('a');
  await recorder.flush();
  expect(errors).toMatchObject([{ code: 403 }]);
  answers(() => 200);
  tell('a');
  await recorder.close();
  expect(written).toEqual(['POST ×1 a']);
});

test('an event that the server no longer keeps is created again', async () => {
  const { recorder, written, tell, answers } = open();
  tell('a');
  await recorder.flush();
  const answered = [404, 200];
  answers(() => answered.shift()!);
  tell('a');
  await recorder.close();
  expect(written).toEqual(['POST ×1 a', 'POST ×2 a']);
});

/** Names that were asked for, while `answers` last; then the server takes every event. */
async function namesAskedFor(answers: (() => number)[]) {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const names: string[] = [];
  const errors: unknown[] = [];
  const send = async ({ body }: TransportRequest) => {
    const event = JSON.parse(Buffer.from(body!).toString());
    names.push(event.metadata?.name);
    const status = (answers.shift() ?? (() => 201))();
    const taken = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'AlreadyExists', code: status };
    return { status, headers: {}, body: Buffer.from(JSON.stringify(status === 409 ? taken : event)) };
  };
  const client = new Client({ transport: { send }, clock });
  const onError = (error: unknown) => errors.push(error);
  const recorder = new EventRecorder({ client, clock, component: 'test', random: new SeededRandom(1), onError });
  recorder.record(ConfigMap, web, { type: 'Normal', reason: 'Told', message: 'a' });
  await clock.advanceUntil(recorder.close());
  return { names, errors };
}

test('an event whose name is taken is created under another one', async () => {
  const { names, errors } = await namesAskedFor([() => 409, () => 409]);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^web\.[0-9a-f]{16}$/);
  expect(errors).toEqual([]);
});

test('names are not tried without end', async () => {
  const { names, errors } = await namesAskedFor(Array.from({ length: 20 }, () => () => 409));
  expect(names).toHaveLength(5);
  expect(errors).toMatchObject([{ code: 409 }]);
});

test('an event that is there already because an answer was lost is not created twice', async () => {
  const lost = () => {
    throw new ClientError({ code: 'Unreachable', server: 'x', isSent: true });
  };
  const { names, errors } = await namesAskedFor([lost, () => 409]);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(1);
  expect(errors).toEqual([]);
});

test('two recorders give equally named objects different names in the same millisecond, the same in every run', async () => {
  const run = async () => {
    const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
    const random = new SeededRandom(1);
    const names: string[] = [];
    const send = async ({ body }: TransportRequest) => {
      const event = JSON.parse(Buffer.from(body!).toString());
      names.push(event.metadata.name);
      return { status: 201, headers: {}, body: Buffer.from(JSON.stringify(event)) };
    };
    const client = new Client({ transport: { send }, clock });
    for (const component of ['one', 'other']) {
      await using recorder = new EventRecorder({ client, clock, component, random });
      recorder.record(ConfigMap, web, { type: 'Normal', reason: 'Told', message: 'a' });
    }
    return names;
  };
  const names = await run();
  expect(new Set(names).size).toBe(2);
  expect(await run()).toEqual(names);
});
