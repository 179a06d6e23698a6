import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { inFolder, type RunningPintle, startPintle, stopPintle } from './helpers/pintle.ts';

vi.setConfig({ testTimeout: 90_000 });

const PODS = '/api/v1/namespaces/default/pods';

function pod(name: string, script: string): object {
  const containers = [{ name: 'app', image: 'x', command: ['sh', '-c', script] }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, restartPolicy: 'Never' } };
}

/** Asks until it is so. The server works meanwhile. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise(setImmediate);
  }
}

async function create({ client }: RunningPintle, body: object): Promise<void> {
  await until(async () => ((await client.send('POST', PODS, body)).status === 201 ? true : undefined));
}

async function phaseOf({ client }: RunningPintle, name: string): Promise<string> {
  return JSON.parse((await client.send('GET', `${PODS}/${name}`)).text).status?.phase;
}

async function withServer(folder: string, use: (pintle: RunningPintle) => Promise<void>): Promise<void> {
  const pintle = await startPintle('--data', join(folder, 'data'), '--nodes', '1', '--kubelet', 'process');
  try {
    await use(pintle);
  } finally {
    pintle.client.close();
    await stopPintle(pintle, 'SIGKILL');
  }
}

test.runIf(process.platform === 'linux')(
  'what a killed server left running ends when the next one starts',
  async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pids');
      const pids = async (): Promise<number[]> =>
        (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean).map(Number);
      await withServer(folder, async (pintle) => {
        await create(pintle, pod('sleeper', `echo $$$$ >> ${file}; exec sleep 1000`));
        await until(async () => ((await pids()).length === 1 ? true : undefined));
      });
      const [first] = await pids();
      expect(isRunning(first!)).toBe(true);
      await withServer(folder, async () => {
        await until(async () => ((await pids()).length === 2 ? true : undefined));
        expect(isRunning(first!)).toBe(false);
      });
      const [, second] = await pids();
      process.kill(-second!, 'SIGKILL');
    });
  },
);

test('others are served while a pod prints 8 MB of newlines', async () => {
  await inFolder(async (folder) => {
    await withServer(folder, async (pintle) => {
      await create(pintle, pod('noisy', 'yes "" | head -c 8000000'));
      await until(async () => ((await phaseOf(pintle, 'noisy')) === 'Succeeded' ? true : undefined));
      const { status, text } = await pintle.client.send('GET', `${PODS}/noisy/log?tailLines=3`);
      expect([status, text]).toEqual([200, '\n\n\n']);
    });
  });
});

/** A process that has ended may still wait for its parent. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
