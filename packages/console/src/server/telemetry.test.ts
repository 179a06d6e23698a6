import { RequestLog } from '@pintle/apiserver';
import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { OperatorReport } from '../protocol.ts';
import { TelemetryHub } from './telemetry.ts';

const REPORT: OperatorReport = {
  operator: 'shop/1',
  name: 'shop',
  pid: 1,
  isControlPlane: false,
  isLeader: true,
  controllers: [],
  caches: [],
  traces: [],
  omittedTraces: 0,
};

test('sources are open while a page looks, and a minute longer', async () => {
  const clock = new SteppedClock();
  let report: ((report: OperatorReport) => void) | undefined;
  const source = {
    open(onReport: (report: OperatorReport) => void): Disposable {
      report = onReport;
      return {
        [Symbol.dispose]() {
          report = undefined;
        },
      };
    },
  };
  const hub = new TelemetryHub({ clock, sources: [source], requests: new RequestLog() });
  expect(report).toBeUndefined();

  const stop = new AbortController();
  const lines = hub.open({ signal: stop.signal });
  const read = async (): Promise<string[]> =>
    Buffer.from((await lines.next()).value ?? [])
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
  expect(await read()).toEqual(['hello']);
  report!(REPORT);
  expect(await read()).toEqual(['operator']);
  await clock.advance(6_000);
  expect(await read()).toContain('gone');

  stop.abort();
  expect((await lines.next()).done).toBe(true);
  await clock.advance(59_000);
  expect(report).toBeDefined();
  await clock.advance(2_000);
  expect(report).toBeUndefined();
});
