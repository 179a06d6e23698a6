import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { beginRecording, currentRecording, endRecordings, type Recording, recordRequests } from './recording.ts';

const SITE = { kind: 'Site', group: 'example.com', version: 'v1', plural: 'sites', scope: 'Namespaced' } as never;

function options(clock = new SteppedClock()) {
  const controller = { name: 'site' };
  const request = { namespace: 'default', name: 'web' };
  return { clock, controller, request, reasons: [{ cause: 'requeued' } as const], failures: 1 };
}

function answer(status: number, text: string) {
  return async () => ({ status, headers: {}, body: Buffer.from(text) });
}

test('without subscribers nothing is recorded', async () => {
  expect(beginRecording(() => expect.fail('nobody looks'))).toBeUndefined();
  expect(currentRecording()).toBeUndefined();
  const next = answer(200, '{}');
  expect(recordRequests({ method: 'GET', path: '/api/v1/pods' }, next)).toBeInstanceOf(Promise);
});

test('a reconcile is recorded with its reads, its writes and its result', async () => {
  const published: Recording[] = [];
  const note = (recording: unknown): void => void published.push(recording as Recording);
  subscribe('pintle:reconcile', note);
  try {
    const recording = beginRecording(() => options())!;
    await recording.run(async () => {
      currentRecording()!.readFromCache(SITE, { namespace: 'default', name: 'web' }, '41', 1);
      currentRecording()!.suppressed('apply', SITE, { namespace: 'default', name: 'web' });
      const path = '/apis/example.com/v1/namespaces/default/sites/web/status';
      const written = '{"kind":"Site","metadata":{"name":"web","resourceVersion":"42"}}';
      const response = await recordRequests({ method: 'PATCH', path }, answer(200, written));
      expect(Buffer.from(response.body as Uint8Array).toString()).toBe(written);
      await recordRequests({ method: 'PATCH', path }, answer(409, '{"kind":"Status"}'));
      await recordRequests({ method: 'GET', path: '/api/v1/namespaces/default/secrets/key' }, answer(404, '{}'));
    });
    recording.finish({ outcome: 'requeue_after', durationMs: 3 }, { requeueAfterMs: 500 });
    expect(published).toEqual([recording]);
    expect(recording.report()).toMatchObject({
      controller: 'site',
      namespace: 'default',
      name: 'web',
      failures: 1,
      outcome: 'requeue_after',
      requeueAfterMs: 500,
      steps: [
        { type: 'read', from: 'cache', resource: 'sites.example.com', revision: '41', found: 1 },
        { type: 'write', verb: 'apply', outcome: 'suppressed' },
        { type: 'write', verb: 'patch', resource: 'sites.example.com/status', outcome: 'sent', revision: '42' },
        { type: 'write', verb: 'patch', outcome: 'conflict', status: 409 },
        { type: 'read', from: 'server', resource: 'secrets', found: 0 },
      ],
    });
  } finally {
    unsubscribe('pintle:reconcile', note);
    endRecordings();
  }
  expect(currentRecording()).toBeUndefined();
});
