import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@pintle/async';
import { openLmdbStore } from '../../open-store.ts';
import { CrashLog } from './crash-log.ts';

export interface KillTestOptions {
  readonly cycles: number;
  readonly seed: number;
  readonly onCycle?: (cycle: number) => void;
}

export interface KillTestResult {
  readonly problems: readonly string[];
  readonly acknowledgedWrites: number;
  readonly unknownWrites: number;
  readonly compactions: number;
  readonly revision: number;
  readonly slowestOpenMs: number;
}

/**
 * Kills a process in the middle of its writes, again and again on one store, and checks each time whether all
 * acknowledgements are still true. Every other cycle compaction runs beside the writers.
 */
export async function runKillTest({ cycles, seed, onCycle }: KillTestOptions): Promise<KillTestResult> {
  const directory = mkdtempSync(join(tmpdir(), 'pintle-kill-'));
  const random = new SeededRandom(seed);
  const log = new CrashLog();
  const problems: string[] = [];
  let revision = 0;
  let slowestOpenMs = 0;
  try {
    for (let cycle = 0; cycle < cycles && problems.length === 0; cycle++) {
      log.read(await runAndKill(directory, cycle, 20 + random.below(380)));
      const began = performance.now();
      await using store = await openLmdbStore(directory);
      slowestOpenMs = Math.max(slowestOpenMs, performance.now() - began);
      problems.push(...(await log.check(store)).map((problem) => `cycle ${cycle}: ${problem}`));
      revision = store.revision;
      onCycle?.(cycle);
    }
  } finally {
    if (problems.length === 0) rmSync(directory, { recursive: true, force: true });
  }
  const { acknowledgedWrites, unknownWrites, compactions } = log;
  return { problems, acknowledgedWrites, unknownWrites, compactions, revision, slowestOpenMs };
}

/** Returns the child's output until it was killed, `afterMs` after its first line. */
async function runAndKill(directory: string, cycle: number, afterMs: number): Promise<string> {
  const args = [childPath(), directory, `${cycle}`, cycle % 2 === 1 ? 'compact' : 'keep'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

/** Returns the built child, also when this file runs as a source under a test runner. */
export function childPath(): string {
  return builtPath('child.js');
}

export function builtPath(name: string): string {
  const here = import.meta.dirname.replace(`${sep}src${sep}`, `${sep}dist${sep}`);
  const path = join(here, name);
  if (!existsSync(path)) throw new Error(`Cannot run the kill test: ${path} is not built, run npm run build`);
  return path;
}
