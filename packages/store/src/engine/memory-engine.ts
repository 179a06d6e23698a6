import type { Revision } from '../revision.ts';
import type { Engine, EngineBatch } from './engine.ts';

/** Bytes of a memory engine. They outlive the engine, as a disk does, so a test can open them again. */
export class MemoryDisk {
  /** Sorted by revision. */
  readonly log: [revision: Revision, bytes: Buffer][] = [];
  readonly values = new Map<Revision, Map<number, Uint8Array>>();

  apply(batch: EngineBatch): void {
    for (const { revision, bytes } of batch.log) this.#applyLog(revision, bytes);
    for (const { revision, sub, bytes } of batch.values) this.#applyValue(revision, sub, bytes);
  }

  /**
   * Returns another disk with the same content. Later writes to one are not on the other. The bytes themselves are
   * shared, because they never change once written, so a copy takes little time and room. Copy while no write is under
   * way, or the copy may lack that write.
   */
  copy(): MemoryDisk {
    const copy = new MemoryDisk();
    for (const entry of this.log) copy.log.push(entry);
    for (const [revision, subs] of this.values) copy.values.set(revision, new Map(subs));
    return copy;
  }

  /** Returns the index of the first entry at or after `revision`. */
  indexOf(revision: Revision): number {
    let low = 0;
    let high = this.log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.log[middle]![0] < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #applyLog(revision: Revision, bytes: Uint8Array | undefined): void {
    const index = this.indexOf(revision);
    const exists = this.log[index]?.[0] === revision;
    if (bytes !== undefined && (exists || index === this.log.length)) {
      this.log[index] = [revision, asBuffer(bytes)];
      return;
    }
    const replaced = exists ? 1 : 0;
    const added: [Revision, Buffer][] = bytes === undefined ? [] : [[revision, asBuffer(bytes)]];
    this.log.splice(index, replaced, ...added);
  }

  #applyValue(revision: Revision, sub: number, bytes: Uint8Array | undefined): void {
    const subs = this.values.get(revision) ?? new Map<number, Uint8Array>();
    if (bytes === undefined) subs.delete(sub);
    else subs.set(sub, bytes);
    if (subs.size === 0) this.values.delete(revision);
    else this.values.set(revision, subs);
  }
}

/** Returns a view: bytes never change once written. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Stores everything in memory, and is durable at once. Waits for microtasks only, never for time or threads. */
export class MemoryEngine implements Engine {
  readonly gather = 'microtask';
  readonly holdsValues = true;
  readonly #disk: MemoryDisk;

  constructor(disk = new MemoryDisk()) {
    this.#disk = disk;
  }

  readValue(revision: Revision, sub: number): Uint8Array | undefined {
    return this.#disk.values.get(revision)?.get(sub);
  }

  scanLog(from: Revision, visit: (revision: Revision, bytes: Buffer) => boolean): void {
    const { log } = this.#disk;
    let index = this.#disk.indexOf(from);
    if (log[index]?.[0] !== from && index > 0) index--;
    for (; index < log.length; index++) if (!visit(...log[index]!)) return;
  }

  async write(batch: EngineBatch): Promise<void> {
    this.#disk.apply(batch);
  }

  async close(): Promise<void> {}
}
