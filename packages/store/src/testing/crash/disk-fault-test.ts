import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@pintle/async';
import { openLmdbStore } from '../../open-store.ts';
import { CrashLog } from './crash-log.ts';
import { childPath } from './kill-test.ts';

export interface DiskFaultResult {
  readonly problems: readonly string[];
  readonly acknowledgedWrites: number;
}

const STORE_FILES = ['data.mdb', 'journal.0', 'journal.1'];
const CALLS = ['fdatasync', 'pwrite64', 'writev'] as const;
const ERRORS = ['EIO', 'ENOSPC'] as const;
const ACKNOWLEDGEMENTS = 600;

/**
 * Lets the n-th system call of the writers fail, and checks whether they stop and whether all acknowledgements are
 * true.
 */
export async function runDiskFaultTest({
  faults,
  seed,
}: {
  readonly faults: number;
  readonly seed: number;
}): Promise<DiskFaultResult> {
  const random = new SeededRandom(seed);
  const problems: string[] = [];
  let acknowledgedWrites = 0;
  for (let fault = 0; fault < faults; fault++) {
    const call = CALLS[random.below(CALLS.length)]!;
    const error = ERRORS[random.below(ERRORS.length)]!;
    const when = 3 + random.below(20);
    const found = await failOnce(`${call}:error=${error}:when=${when}`);
    acknowledgedWrites += found.acknowledgedWrites;
    problems.push(...found.problems.map((problem) => `${call} number ${when} failed with ${error}: ${problem}`));
  }
  return { problems, acknowledgedWrites };
}

async function failOnce(injection: string): Promise<DiskFaultResult> {
  const directory = mkdtempSync(join(tmpdir(), 'pintle-fault-'));
  const log = new CrashLog();
  const child = [process.execPath, childPath(), directory, '0', 'keep', `${ACKNOWLEDGEMENTS}`];
  const trace = join(directory, 'trace');
  const paths = STORE_FILES.flatMap((file) => ['-P', join(directory, file)]);
  const options = ['-f', '-qq', '-y', '-o', trace, ...paths, '-e', `inject=${injection}`];
  try {
    // strace counts calls per thread: one thread writes them all.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const { stdout } = spawnSync('strace', [...options, ...child], { encoding: 'utf8', timeout: 60_000, env });
    log.read(stdout);
    await using store = await openLmdbStore(directory);
    const problems = await log.check(store);
    // A table that cannot be written is noticed later: its content is in the journal.
    const isJournalHit = /journal\.\d.*\(INJECTED\)/.test(readFileSync(trace, 'utf8'));
    if (isJournalHit && log.acknowledgedWrites >= ACKNOWLEDGEMENTS) problems.push('the writers did not notice');
    return { problems, acknowledgedWrites: log.acknowledgedWrites };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
