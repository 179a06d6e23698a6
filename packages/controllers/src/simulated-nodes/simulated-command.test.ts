import { expect, test } from 'vitest';
import { commandRun } from './simulated-command.ts';

const shell = (script: string) => ({ name: 'app', image: 'busybox', command: ['/bin/sh', '-c', script] });

test.each([
  ['sleep 30', 30_000, 0],
  ['sleep 1m 0.5', 60_500, 0],
  ['true', 0, 0],
  ['false', 0, 1],
  ['exit 3', 0, 3],
  ['exit 256', 0, 0],
  ['echo "a; b" && sleep 2 && exit 4', 2_000, 4],
  ['false || sleep 5', 5_000, 0],
  ['false && sleep 5', 0, 1],
  ['sleep 1\nsleep 2\nexit', 3_000, 0],
  ['sleep infinity', Number.POSITIVE_INFINITY, 0],
  ['while true; do echo hello; sleep 1; done', Number.POSITIVE_INFINITY, 0],
  ['until false; do date; done', Number.POSITIVE_INFINITY, 0],
  ['trap "exit 0" TERM; tail -f /dev/null', Number.POSITIVE_INFINITY, 0],
  ['exec sleep 7', 7_000, 0],
])('sh -c %j', (script, lastsMs, exitCode) => expect(commandRun(shell(script))).toEqual({ lastsMs, exitCode }));

test.each(['make install', 'sleep soon', 'while [ ! -f /tmp/x ]; do sleep 1; done', `${'true;'.repeat(1_000)}true`])(
  'the run of sh -c %j is not known',
  (script) => expect(commandRun(shell(script))).toBeUndefined(),
);

test('programs are known without a shell, and images by their names', () => {
  expect(commandRun({ name: 'app', command: ['sleep'], args: ['10'] })).toEqual({ lastsMs: 10_000, exitCode: 0 });
  expect(commandRun({ name: 'app', image: 'registry.example.com/pause:3.10' })?.lastsMs).toBe(Number.POSITIVE_INFINITY);
  expect(commandRun({ name: 'app', image: 'nginx@sha256:00' })?.lastsMs).toBe(Number.POSITIVE_INFINITY);
  expect(commandRun({ name: 'app', image: 'nginx', command: ['false'] })?.exitCode).toBe(1);
  expect(commandRun({ name: 'app', image: 'example.com/importer:1' })).toBeUndefined();
});
