import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { jsonLog, StopSignals } from './program.ts';

test('a log is a line of JSON for each message', () => {
  const lines: string[] = [];
  const log = jsonLog(new SteppedClock({ startMs: Date.UTC(2026, 0, 1) }), (line) => lines.push(line));
  log.info('Started');
  log.warn('Counted', { many: 2n ** 60n, name: 'a\nb' });
  log.error('Failed', { error: Object.assign(new Error('why'), { stack: 'Error: why\n    at here' }) });
  expect(lines).toEqual([
    '{"level":"info","time":"2026-01-01T00:00:00.000Z","message":"Started"}\n',
    '{"level":"warn","time":"2026-01-01T00:00:00.000Z","message":"Counted","many":"1152921504606846976","name":"a\\nb"}\n',
    '{"level":"error","time":"2026-01-01T00:00:00.000Z","message":"Failed","error":"Error: why\\n    at here"}\n',
  ]);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s asks to stop, until nobody listens any more', (name) => {
  const before = process.listenerCount(name);
  const signals = new StopSignals();
  expect(signals.signal.aborted).toBe(false);
  for (const listener of process.listeners(name).slice(before)) listener(name);
  expect(signals.signal.aborted).toBe(true);
  signals[Symbol.dispose]();
  expect(process.listenerCount(name)).toBe(before);
});

test.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const)('a log of level %s has lines of %j', (level, levels) => {
  const lines: string[] = [];
  const log = jsonLog(new SteppedClock(), (line) => lines.push(line), { level });
  log.debug?.('Looked');
  log.info('Started');
  log.warn('Waited');
  log.error('Failed');
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(levels);
});
