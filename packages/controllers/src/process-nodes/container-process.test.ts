import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { realClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { ContainerProcess } from './container-process.ts';
import { OrphanedProcesses, POD_UID_VARIABLE } from './orphaned-processes.ts';

const environment = { env: { PATH: process.env.PATH ?? '' }, folder: tmpdir() };
const BUILT = new URL('../../dist/process-nodes/container-process.js', import.meta.url).href;
const never = new AbortController().signal;

const shell = (script: string): ContainerProcess => new ContainerProcess(['sh', '-c', script], environment, realClock);

async function textOf({ log }: ContainerProcess): Promise<string> {
  let text = '';
  for await (const chunk of log.read({ follow: true }, never)) text += Buffer.from(chunk);
  return text;
}

describe.runIf(process.platform === 'linux')('a process of a container', () => {
  test('takes all that it started along', async () => {
    const container = shell('sleep 1000 & echo $!');
    expect(await container.exited).toEqual({ exitCode: 0 });
    const pid = Number(await textOf(container));
    // The signal is sent by then; the kernel may still be taking the process away.
    await turnsUntil(() => !isRunning(pid));
  });

  test('has ended even if something that left its group holds what it wrote to', async () => {
    // The shell ends once the other has left its group, and says so.
    const leave = 'f=$(mktemp -u); mkfifo $f; setsid sh -c "echo \\$\\$ > $f; exec sleep 1000" & read pid < $f; rm $f';
    const container = shell(`${leave}; echo $pid; exit 3`);
    expect(await container.exited).toEqual({ exitCode: 3 });
    const pid = Number(await textOf(container));
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  test('is refused while the server has no file descriptors left, and the server goes on', async () => {
    // A process of its own, which may use up its descriptors. It runs what is built.
    const script = `
      const { ContainerProcess } = await import(${JSON.stringify(BUILT)});
      const { openSync } = await import('node:fs');
      const clock = { now: () => 0 };
      const start = () => new ContainerProcess(['true'], { env: {}, folder: '/' }, clock);
      for (;;) try { openSync('/dev/null'); } catch { break; }
      let problem = '';
      try { start(); } catch (error) { problem = error.message; }
      await new Promise((resolve) => setTimeout(resolve, 0));
      await new Promise((resolve) => process.stdout.write(problem, resolve));`;
    const child = spawn('sh', [
      '-c',
      `ulimit -n 64; exec "$@"`,
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(child, 'close');
    expect([said, code]).toEqual(['Cannot start true: too many files are open', 0]);
  });

  test('waits while a client that has joined it takes nothing', async () => {
    const container = new ContainerProcess(['yes'], environment, realClock);
    const client = new AbortController();
    let chunks = 0;
    let take = (): void => undefined;
    const stdout = async (): Promise<void> => {
      chunks++;
      await new Promise<void>((resolve) => {
        take = resolve;
      });
    };
    const joined = container.attach({ stdout, stderr: stdout, signal: client.signal });
    await turnsUntil(() => chunks === 1);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(chunks).toBe(1);
    take();
    await turnsUntil(() => chunks === 2);
    client.abort(new Error('gone'));
    await expect(joined).rejects.toThrow('gone');
    // Output that no client follows still goes into the log.
    const more = container.log.read({ follow: true, tailLines: 0 }, never);
    expect((await more.next()).done).toBe(false);
    container.stop('SIGKILL');
    expect((await container.exited).exitCode).toBe(137);
  });

  test('that an earlier server left is killed with its group when its pod is met again', async () => {
    const orphans = ['mine', 'other'].map((uid) =>
      spawn('sh', ['-c', 'env -i sleep 1000 & wait'], {
        detached: true,
        env: { ...environment.env, [POD_UID_VARIABLE]: uid },
        stdio: 'ignore',
      }),
    );
    const [mine, other] = orphans;
    await Promise.all(orphans.map((child) => once(child, 'spawn')));
    const processes = await OrphanedProcesses.find();
    processes.kill('unknown');
    const exited = once(mine!, 'exit');
    processes.kill('mine');
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(isRunning(other!.pid!)).toBe(true);
    processes.kill('other');
    expect(await once(other!, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

async function turnsUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(setImmediate);
}

/** A process that has ended may still wait for its parent. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
