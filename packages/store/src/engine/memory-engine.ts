import type { Revision } from '../revision.ts';
import type { Engine, EngineBatch } from './engine.ts';

/** The bytes of a memory engine. They outlive the engine, as a disk does, so a test can open them again. */
export class MemoryDisk {
  /** Sorted by revision. */
  readonly log: [revision: Revision, bytes: Buffer][] = [];
  readonly values = new Map<Revision, Map<number, Uint8Array>>();

  apply(batch: EngineBatch): void {
    for (const { revision, bytes } of batch.log) this.#applyLog(revision, bytes);
    for (const { revision, sub, bytes } of batch.values) this.#applyValue(revision, sub, bytes);
  }

  /**
   * Another disk with what this one holds now: what is written to one of them later is not on the other. The bytes
   * themselves are shared, since bytes once written are never changed, so a copy takes little time and room. Take it
   * while no write is under way, or it may lack that write.
   */
  copy(): MemoryDisk {
    const copy = new MemoryDisk();
    for (const entry of this.log) copy.log.push(entry);
    for (const [revision, subs] of this.values) copy.values.set(revision, new Map(subs));
    return copy;
  }

  /** The place of the first entry at or after `revision`. */
  placeOf(revision: Revision): number {
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
    const place = this.placeOf(revision);
    const isThere = this.log[place]?.[0] === revision;
    if (bytes !== undefined && (isThere || place === this.log.length)) {
      this.log[place] = [revision, asBuffer(bytes)];
      return;
    }
    const replaced = isThere ? 1 : 0;
    const added: [Revision, Buffer][] = bytes === undefined ? [] : [[revision, asBuffer(bytes)]];
    this.log.splice(place, replaced, ...added);
  }

  #applyValue(revision: Revision, sub: number, bytes: Uint8Array | undefined): void {
    const subs = this.values.get(revision) ?? new Map<number, Uint8Array>();
    if (bytes === undefined) subs.delete(sub);
    else subs.set(sub, bytes);
    if (subs.size === 0) this.values.delete(revision);
    else this.values.set(revision, subs);
  }
}

/** The same bytes: once written they are never changed. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Keeps everything in memory and is always durable at once. Waits for microtasks only, never for time or threads. */
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
    let place = this.#disk.placeOf(from);
    if (log[place]?.[0] !== from && place > 0) place--;
    for (; place < log.length; place++) if (!visit(...log[place]!)) return;
  }

  async write(batch: EngineBatch): Promise<void> {
    this.#disk.apply(batch);
  }

  async close(): Promise<void> {}
}
