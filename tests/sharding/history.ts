import type { Client } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { parseShardMap, SHARD_MAP_KEY, type ShardSlot } from '@pintle/machinery/selectors';

const NAMESPACE = 'default';

/** Follows what the server has committed, in order, and notes each write of a process that did not own the object. */
export class History {
  readonly #mapName: string;
  readonly #onActivity: () => void;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  /** Who owns what, by the last committed map. */
  slots: readonly ShardSlot[] = [];
  /** Value that was last written for each object. */
  readonly values = new Map<string, string>();
  /** Writes by a process that did not own the slot at the commit. */
  readonly doubleWrites: string[] = [];
  writes = 0;
  moves = 0;

  constructor(mapName: string, onActivity: () => void) {
    this.#mapName = mapName;
    this.#onActivity = onActivity;
  }

  start(client: Client): void {
    this.#following = this.#follow(client);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow(client: Client): Promise<void> {
    const { signal } = this.#stop;
    const select = { namespace: NAMESPACE, resourceVersion: '0', signal };
    try {
      for await (const event of client.watch(ConfigMap, select)) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        this.#onActivity();
        const { metadata, data = {} } = event.object;
        if (metadata.name === this.#mapName) this.#takeMap(parseShardMap(data[SHARD_MAP_KEY] ?? '') ?? []);
        else if (data.by !== undefined) this.#takeWrite(metadata.name ?? '', data);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #takeMap(slots: readonly ShardSlot[]): void {
    this.moves += slots.filter(({ owner }, slot) => owner !== this.slots[slot]?.owner).length;
    this.slots = slots;
  }

  #takeWrite(name: string, { by, slot, epoch, value = '' }: Readonly<Record<string, string>>): void {
    this.writes++;
    this.values.set(name, value);
    const owned = this.slots[Number(slot)];
    if (owned?.owner !== by || `${owned?.epoch}` !== epoch)
      this.doubleWrites.push(
        `${by} wrote ${name} in epoch ${epoch}; ${owned?.owner} owned it in epoch ${owned?.epoch}`,
      );
  }
}
