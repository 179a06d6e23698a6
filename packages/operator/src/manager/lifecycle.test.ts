import type { Runnable } from '@pintle/async';
import { deferred, Gate, onceAborted, SteppedClock } from '@pintle/async';
import { Client, type Transport } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { Manager, type ManagerOptions } from './manager.ts';

function open(options: ManagerOptions = {}) {
  const clock = new SteppedClock();
  const client = new Client({ transport: { send: () => new Promise(() => undefined) }, clock });
  const manager = new Manager({ client, clock, ...options });
  const stop = new AbortController();
  const happened: string[] = [];
  const runnable = (name: string, stopping: Promise<void> = Promise.resolve()): Runnable => ({
    run: async ({ signal }) => {
      happened.push(`${name} started`);
      await onceAborted(signal);
      await stopping;
      happened.push(`${name} stopped`);
    },
  });
  return { clock, manager, stop, happened, runnable, run: () => manager.run({ signal: stop.signal }) };
}

test('what needs no lease starts first and stops first', async () => {
  const { clock, manager, stop, happened, runnable, run } = open();
  const gate = new Gate();
  manager.add(runnable('work'));
  manager.add({ ...runnable('service', gate.wait()), needsLease: false });
  const running = run();
  await clock.advance(0);
  expect(happened).toEqual(['service started', 'work started']);
  stop.abort();
  await clock.advance(0);
  expect(happened).toHaveLength(2);
  gate.open();
  await running;
  expect(happened.slice(2)).toEqual(['service stopped', 'work stopped']);
  expect(clock.pendingTimers).toBe(0);
});

test('what is added while it runs starts at once; when it has stopped, never', async () => {
  const { clock, manager, stop, happened, runnable, run } = open();
  const running = run();
  await clock.advance(0);
  manager.add(runnable('late'));
  await clock.advance(0);
  expect(happened).toEqual(['late started']);
  stop.abort();
  await running;
  manager.add(runnable('too late'));
  expect(happened).toEqual(['late started', 'late stopped']);
});

test('the first failure stops everything in order, and is what run rejects with', async () => {
  const { clock, manager, happened, runnable, run } = open();
  const broken = deferred<never>();
  manager.add(runnable('work'));
  manager.add({ needsLease: false, run: () => broken.promise });
  const running = expect(run()).rejects.toThrow('broken');
  await clock.advance(0);
  broken.reject(new Error('broken'));
  await running;
  expect(happened).toEqual(['work started', 'work stopped']);
});

test('what does not stop within the grace is left behind, by name', async () => {
  const { clock, manager, stop, runnable, run } = open();
  manager.add(runnable('stubborn', new Promise(() => undefined)));
  const running = expect(run()).rejects.toMatchObject({
    failure: { code: 'GraceElapsed', afterMs: 30_000, waitingFor: 'controllers' },
  });
  await clock.advance(0);
  stop.abort();
  await clock.advance(29_999);
  await clock.advance(1);
  await running;
});

test('without grace nothing is waited for', async () => {
  const { clock, manager, stop, runnable, run } = open({ graceMs: 0 });
  manager.add(runnable('stubborn', new Promise(() => undefined)));
  const running = run();
  await clock.advance(0);
  stop.abort();
  await clock.advance(0);
  await running;
});

test('a manager runs once', async () => {
  const { stop, run } = open();
  stop.abort();
  await run();
  await expect(run()).rejects.toThrow('it has already run');
});

test('one that is told to stop before it runs starts nothing', async () => {
  const { manager, stop, happened, runnable, run } = open();
  manager.add(runnable('work'));
  stop.abort();
  await run();
  expect(happened).toEqual([]);
});

test('told to stop before it is at work, it ends without an error', async () => {
  const asked = deferred();
  const transport: Transport = {
    endpoint: { server: 'https://127.0.0.1:6443' },
    send: ({ signal }) => {
      asked.resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const manager = new Manager({ client: new Client({ transport }), name: 'some' });
  manager.webhooks.for(ConfigMap).validate({ create: () => [] });
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await asked.promise;
  stop.abort(new Error('Cannot go on: SIGTERM asked to stop'));
  await running;
});
