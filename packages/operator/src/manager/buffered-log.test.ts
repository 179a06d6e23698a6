import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { BufferedLog } from './buffered-log.ts';
import { jsonLog } from './program.ts';

test('what is said early is said later, in order and with the time it was said at', async () => {
  const lines: string[] = [];
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const early = new BufferedLog(clock);
  early.info('Operator starts', { a: 1 });
  await clock.advance(1_000);
  early.error('Failed');
  await clock.advance(1_000);
  const log = jsonLog(clock, (line) => lines.push(line));
  early.flush(log);
  early.flush(log);
  expect(lines).toEqual([
    '{"level":"info","time":"2026-01-01T00:00:00.000Z","message":"Operator starts","a":1}\n',
    '{"level":"error","time":"2026-01-01T00:00:01.000Z","message":"Failed"}\n',
  ]);
});

test('no more than a hundred lines are kept, and the rest is counted', () => {
  const lines: string[] = [];
  const early = new BufferedLog(new SteppedClock());
  for (let i = 0; i < 150; i++) early.info(`${i}`);
  const note = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  early.flush({ info: note, warn: note, error: note });
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('Dropped log lines from before the manager ran {"lines":50}');
});

test('a program hears what its manager said before it ran', () => {
  const index = join(import.meta.dirname, '../../dist/index.js');
  const program = `
    import { Manager } from ${JSON.stringify(index)};
    const manager = new Manager();
    manager.log.info('Operator starts');
    await manager.run();
  `;
  // Without a cluster it ends at once.
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, KUBECONFIG: '/nonexistent/kubeconfig', HOME: '/nonexistent' },
  });
  expect(stderr.split('\n')[0]).toMatch(/^\{"level":"info","time":"[^"]+","message":"Operator starts"\}$/);
});
