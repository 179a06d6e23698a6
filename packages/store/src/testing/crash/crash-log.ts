import type { Store } from '../../store.ts';

/** A line of the child's output, as JSON. */
export type CrashLine =
  | { readonly type: 'opened'; readonly revision: number }
  | { readonly type: 'sent'; readonly key: string; readonly id: string; readonly isDeletion: boolean }
  | {
      readonly type: 'acknowledged';
      readonly key: string;
      readonly id: string;
      readonly revision: number;
      readonly isDeletion: boolean;
    }
  | { readonly type: 'refused'; readonly id: string }
  | { readonly type: 'compacted'; readonly revision: number };

/** Output of the killed processes so far, and what a store that is opened again must therefore hold. */
export class CrashLog {
  acknowledgedWrites = 0;
  compactions = 0;
  unknownWrites = 0;
  /** By revision. */
  readonly #acknowledged = new Map<
    number,
    { readonly key: string; readonly id: string; readonly isDeletion: boolean }
  >();
  /** Writes that were sent and not answered; any of them may have happened. */
  readonly #open = new Map<string, { readonly key: string; readonly isDeletion: boolean }>();
  #highest = 0;
  #compacted = 0;

  /** Reads the output of one process. Ignores a last line that was cut off. */
  read(output: string): void {
    for (const line of output.split('\n').slice(0, -1)) this.#take(JSON.parse(line) as CrashLine);
    this.unknownWrites = this.#open.size;
  }

  /** Returns the problems of the store. */
  async check(store: Store): Promise<string[]> {
    const problems: string[] = [];
    if (store.revision < this.#highest) problems.push(`revision went back from ${this.#highest} to ${store.revision}`);
    if (store.compactedRevision < this.#compacted)
      problems.push(`compaction went back from ${this.#compacted} to ${store.compactedRevision}`);
    await this.#checkHistory(store, problems);
    await this.#checkState(store, problems);
    this.#highest = Math.max(this.#highest, store.revision);
    return problems;
  }

  #take(line: CrashLine): void {
    if (line.type === 'opened') this.#highest = Math.max(this.#highest, line.revision);
    else if (line.type === 'sent') this.#open.set(line.id, line);
    else if (line.type === 'refused') this.#open.delete(line.id);
    else if (line.type === 'compacted') {
      this.compactions++;
      this.#compacted = Math.max(this.#compacted, line.revision);
    } else this.#acknowledge(line);
  }

  #acknowledge(line: CrashLine & { readonly type: 'acknowledged' }): void {
    this.#open.delete(line.id);
    this.acknowledgedWrites++;
    this.#acknowledged.set(line.revision, line);
    this.#highest = Math.max(this.#highest, line.revision);
  }

  /**
   * Checks that every revision that is still kept was acknowledged, or sent and never answered, and none is missing.
   */
  async #checkHistory(store: Store, problems: string[]): Promise<void> {
    const watch = store.watch({ start: '' }, { after: store.compactedRevision });
    let last: number = store.compactedRevision;
    while (last < store.revision) {
      const { revision, events } = (await watch.next()).value!;
      if (revision !== last + 1) problems.push(`history goes from ${last} to ${revision}`);
      last = revision;
      const event = events[0]!;
      const key = event.type === 'put' ? event.record.key : event.key;
      const id = event.type === 'put' ? idOf(event.record.value) : undefined;
      this.#checkWrite(revision, key, id, problems);
    }
    await watch.return?.();
  }

  #checkWrite(revision: number, key: string, id: string | undefined, problems: string[]): void {
    const known = this.#acknowledged.get(revision);
    if (known === undefined) {
      const isPossible = id === undefined ? this.#mayHaveDeleted(key) : this.#open.get(id)?.key === key;
      if (!isPossible) problems.push(`phantom write of ${key} at ${revision}`);
    } else if (known.key !== key || (id === undefined ? !known.isDeletion : known.id !== id))
      problems.push(`write at ${revision} is not the one that was acknowledged`);
  }

  #mayHaveDeleted(key: string): boolean {
    for (const sent of this.#open.values()) if (sent.isDeletion && sent.key === key) return true;
    return false;
  }

  /** Checks that the newest acknowledged write of every key is there, unless a later one replaced it. */
  async #checkState(store: Store, problems: string[]): Promise<void> {
    const newest = new Map<string, number>();
    for (const [revision, { key }] of this.#acknowledged) newest.set(key, Math.max(revision, newest.get(key) ?? 0));
    for (const [key, revision] of newest) {
      const { id, isDeletion } = this.#acknowledged.get(revision)!;
      const record = await store.get(key);
      if (record === undefined ? !isDeletion && !this.#mayHaveDeleted(key) : record.modRevision < revision)
        problems.push(`lost write of ${key} at ${revision}`);
      else if (record?.modRevision === revision && idOf(record.value) !== id)
        problems.push(`altered write at ${revision}`);
    }
  }
}

function idOf(value: Uint8Array): string {
  return Buffer.from(value).toString().replace(/\.+$/, '');
}
