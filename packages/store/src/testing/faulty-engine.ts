import type { Engine, EngineBatch } from '../engine/engine.ts';
import { MemoryDisk, MemoryEngine } from '../engine/memory-engine.ts';
import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';

/** Effect of a fault: `no-space` applies nothing; `lost` and `applied` fail with an unknown outcome. */
export type WriteFault = 'no-space' | 'lost' | 'applied';

/** A memory engine whose writes fail on demand, and which records every batch that it made durable. */
export class FaultyEngine implements Engine {
  readonly gather = 'microtask';
  readonly holdsValues = true;
  /** Durable batches in order, to rebuild the disk of any time. */
  readonly batches: EngineBatch[] = [];
  readonly disk: MemoryDisk;
  /** Decides about the n-th write, from 1 on. */
  faultOf: (write: number, batch: EngineBatch) => WriteFault | undefined = () => undefined;
  /** A write waits for this before it does anything. */
  gate: Promise<void> = Promise.resolve();
  writes = 0;
  readonly #inner: MemoryEngine;

  constructor(disk = new MemoryDisk()) {
    this.disk = disk;
    this.#inner = new MemoryEngine(disk);
  }

  readValue(revision: Revision, sub: number): Uint8Array | undefined {
    return this.#inner.readValue(revision, sub);
  }

  scanLog(from: Revision, visit: (revision: Revision, bytes: Buffer) => boolean): void {
    this.#inner.scanLog(from, visit);
  }

  async write(batch: EngineBatch): Promise<void> {
    const fault = this.faultOf(++this.writes, batch);
    await this.gate;
    if (fault === 'no-space') throw new StoreError({ code: 'NoSpace' });
    if (fault === 'lost') throw new Error('Cannot write: the disk failed');
    await this.#inner.write(batch);
    this.batches.push(batch);
    if (fault === 'applied') throw new Error('Cannot write: the disk failed');
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** Returns the disk after some batches, the last of them perhaps only in part. */
export function diskAfter(batches: readonly EngineBatch[], torn?: EngineBatch): MemoryDisk {
  const disk = new MemoryDisk();
  for (const batch of batches) disk.apply(batch);
  if (torn) disk.apply(torn);
  return disk;
}
