import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, SeededRandom } from '@pintle/async';
import { openLmdbStore } from '../../open-store.ts';
import { CrashLog } from './crash-log.ts';
import { type DiskEvent, type DiskWrite, parseTrace, TRACED_CALLS } from './disk-trace.ts';
import { childPath } from './kill-test.ts';

export interface PowerLossOptions {
  readonly images: number;
  readonly seed: number;
}

export interface PowerLossResult {
  readonly problems: readonly string[];
  readonly images: number;
  readonly syncs: number;
  readonly writes: number;
  readonly acknowledgedWrites: number;
}

export function hasStrace(): boolean {
  return spawnSync('strace', ['--version']).status === 0;
}

/**
 * Killing a process does not lose what the kernel already has; losing power does. Runs the writers under strace, then
 * rebuilds the files as a power loss could have left them at many points: what was synced is there, and of each later
 * write every sector is there or not, in any combination. Every such image must open and hold all that was acknowledged
 * by then.
 */
export async function runPowerLossTest({ images, seed }: PowerLossOptions): Promise<PowerLossResult> {
  const directory = mkdtempSync(join(tmpdir(), 'pintle-power-'));
  try {
    const events = traceWriters(directory, 'keep');
    const compacting = traceWriters(directory, 'compact');
    const half = Math.ceil(images / 2);
    const problems = [
      ...(await checkImages(directory, events, half, new SeededRandom(seed))),
      ...(await checkImages(directory, compacting, images - half, new SeededRandom(seed + 1))),
    ];
    const all = [...events, ...compacting];
    return {
      problems,
      images,
      syncs: all.filter(({ type }) => type === 'synced' || type === 'durable').length,
      writes: all.filter(({ type }) => type === 'write').length,
      acknowledgedWrites: all.filter(isAcknowledgement).length,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const ACKNOWLEDGEMENTS = 1500;
const SECTOR = 512;

function traceWriters(parent: string, compaction: 'keep' | 'compact'): DiskEvent[] {
  const trace = join(parent, `trace-${compaction}`);
  const child = [
    process.execPath,
    childPath(),
    join(parent, `store-${compaction}`),
    '0',
    compaction,
    `${ACKNOWLEDGEMENTS}`,
  ];
  const options = ['-f', '-xx', '-s', '8388608', '-e', `trace=${TRACED_CALLS}`, '-o', trace];
  spawnSync('strace', [...options, ...child], { stdio: ['ignore', 'ignore', 'inherit'] });
  return parseTrace(readFileSync(trace, 'latin1'));
}

async function checkImages(
  parent: string,
  events: readonly DiskEvent[],
  images: number,
  random: Random,
): Promise<string[]> {
  const problems: string[] = [];
  const first = events.findIndex((event) => event.type === 'output');
  const cuts = Array.from({ length: images }, () => first + 1 + random.below(events.length - first)).sort(
    (a, b) => a - b,
  );
  const disk = new TracedDisk();
  let at = 0;
  for (const [index, cut] of cuts.entries()) {
    for (; at < cut; at++) disk.apply(events[at]!);
    const image = join(parent, 'image');
    disk.writeImage(image, random);
    const found = await checkImage(image, disk.output);
    problems.push(...found.map((problem) => `image ${index} at event ${cut} of ${events.length}: ${problem}`));
  }
  return problems;
}

async function checkImage(image: string, output: string): Promise<string[]> {
  const log = new CrashLog();
  log.read(output);
  try {
    await using store = await openLmdbStore(image);
    return await log.check(store);
  } catch (error) {
    return [`it does not open: ${error instanceof Error ? error.message : error}`];
  }
}

/** A disk that knows which writes are durable. */
class TracedDisk {
  output = '';
  readonly #durable = new Map<string, Buffer>();
  #pending: DiskWrite[] = [];

  apply(event: DiskEvent): void {
    if (event.type === 'write') this.#pending.push(event);
    else if (event.type === 'durable') this.#applyDurable(({ id }) => id === event.id);
    else if (event.type === 'synced') this.#applyDurable(({ id, file }) => file === event.file && id <= event.upTo);
    else this.output += event.text;
  }

  /** Writes the files as a power loss now could leave them. */
  writeImage(directory: string, random: Random): void {
    const image = new Map([...this.#durable].map(([file, bytes]) => [file, Buffer.from(bytes)]));
    const order = this.#pending.map((write) => ({ write, place: random.next() })).sort((a, b) => a.place - b.place);
    const mood = random.below(3);
    for (const { write } of order)
      for (let from = 0; from < write.bytes.length; from += SECTOR) {
        const isKept = mood === 0 ? random.below(2) === 0 : mood === 1;
        if (isKept) place(image, write.file, write.at + from, write.bytes.subarray(from, from + SECTOR));
      }
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    for (const [file, bytes] of image) writeFileSync(join(directory, file), bytes);
  }

  #applyDurable(isDurable: (write: DiskWrite) => boolean): void {
    for (const write of this.#pending) if (isDurable(write)) place(this.#durable, write.file, write.at, write.bytes);
    this.#pending = this.#pending.filter((write) => !isDurable(write));
  }
}

function place(files: Map<string, Buffer>, name: string, at: number, bytes: Buffer): void {
  const file = files.get(name) ?? Buffer.alloc(0);
  const end = at + bytes.length;
  const grown = end <= file.length ? file : Buffer.concat([file, Buffer.alloc(end - file.length)]);
  bytes.copy(grown, at);
  files.set(name, grown);
}

function isAcknowledgement(event: DiskEvent): boolean {
  return event.type === 'output' && event.text.includes('"acknowledged"');
}
