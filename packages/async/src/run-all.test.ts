import { expect, test } from 'vitest';
import { onceAborted } from './abort.ts';
import type { Runnable } from './run-all.ts';
import { runAll } from './run-all.ts';

/** Works until it is told to stop, then says so. */
function worker(name: string, stopped: string[]): Runnable {
  return {
    run: async ({ signal }) => {
      await onceAborted(signal);
      stopped.push(name);
    },
  };
}

test('runAll stops all of them when it is told to, and waits until they have stopped', async () => {
  const stop = new AbortController();
  const stopped: string[] = [];
  const running = runAll([worker('a', stopped), worker('b', stopped)], { signal: stop.signal });
  stop.abort();
  await running;

  expect(stopped).toEqual(['a', 'b']);
});

test('runAll stops the others when one fails, and rejects with what it failed of', async () => {
  const stopped: string[] = [];
  const failing: Runnable = {
    run: async () => {
      throw new Error('broken');
    },
  };
  const running = runAll([worker('a', stopped), failing], { signal: new AbortController().signal });

  await expect(running).rejects.toThrow('broken');
  expect(stopped).toEqual(['a']);
});

test('runAll keeps the first failure when stopping makes others fail', async () => {
  const stubborn: Runnable = {
    run: async ({ signal }) => {
      await onceAborted(signal);
      throw new Error('could not stop in peace');
    },
  };
  const failing: Runnable = {
    run: () => {
      throw new Error('first');
    },
  };

  await expect(runAll([stubborn, failing], { signal: new AbortController().signal })).rejects.toThrow('first');
});

test('runAll does not take being stopped for a failure', async () => {
  const stop = new AbortController();
  const rejecting: Runnable = {
    run: async ({ signal }) => {
      await onceAborted(signal);
      throw signal.reason;
    },
  };
  const running = runAll([rejecting], { signal: stop.signal });
  stop.abort(new Error('shutting down'));

  await running;
});

test('runAll lets the others go on when one ends by itself', async () => {
  const stop = new AbortController();
  const stopped: string[] = [];
  const running = runAll([{ run: async () => {} }, worker('a', stopped)], { signal: stop.signal });
  await Promise.resolve();
  expect(stopped).toEqual([]);

  stop.abort();
  await running;
  expect(stopped).toEqual(['a']);
});
