import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openLmdbStore } from '../../open-store.ts';
import type { Revision } from '../../revision.ts';
import { childPath } from './kill-test.ts';

export interface DamageResult {
  readonly problems: readonly string[];
  /** Damage to bytes that nothing depends on, such as free pages. */
  readonly harmless: number;
  readonly refused: number;
  /** LMDB stopped the process: nothing was served. */
  readonly stopped: number;
}

/** Damages copies of a real data file and checks whether a store ever serves anything but what was written. */
export async function runDamageTest({
  copies,
  seed,
}: {
  readonly copies: number;
  readonly seed: number;
}): Promise<DamageResult> {
  const parent = mkdtempSync(join(tmpdir(), 'pintle-damage-'));
  try {
    const original = join(parent, 'original');
    await fill(original);
    return summarize(damageCopies(original, parent, copies, seed));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

async function fill(directory: string): Promise<void> {
  await using store = await openLmdbStore(directory);
  for (let round = 0; round < 12; round++)
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.commit([
          { type: 'put', key: `/registry/things/${(index * 7) % 60}`, value: Buffer.alloc(400 + index * 40, round) },
        ]),
      ),
    );
  await store.compact(300 as Revision);
  for (let index = 0; index < 30; index++) await store.commit([{ type: 'delete', key: `/registry/things/${index}` }]);
}

/** Returns the outcome of each copy. When a process dies on one, another continues with the next. */
function damageCopies(original: string, parent: string, copies: number, seed: number): string[] {
  const outcomes: string[] = [];
  const child = join(dirname(childPath()), 'damage-child.js');
  while (outcomes.length < copies) {
    const args = [child, original, parent, `${outcomes.length}`, `${copies}`, `${seed}`];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
    outcomes.push(
      ...stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace(/^\d+ /, '')),
    );
    if (status !== 0 && outcomes.length < copies) outcomes.push('stopped');
  }
  return outcomes;
}

function summarize(outcomes: readonly string[]): DamageResult {
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  const known = new Set(['same', 'refused', 'stopped']);
  const problems = outcomes.flatMap((outcome, copy) => (known.has(outcome) ? [] : [`copy ${copy}: ${outcome}`]));
  return { problems, harmless: count('same'), refused: count('refused'), stopped: count('stopped') };
}
