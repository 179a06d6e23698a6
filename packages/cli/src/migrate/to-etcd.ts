import { realClock } from '@pintle/async';
import { keyAfter, type Operation, type Revision, type Store, StoreError } from '@pintle/store';
import { isHalfMigrated, MIGRATION_MARK } from '../serve/migration-mark.ts';
import { UsageError } from '../usage-error.ts';

/** Each takes one write; an etcd that is further behind is raised faster by its own tool. */
const MAX_RAISED = 1_000_000;
const RAISES_AT_ONCE = 256;
const MAX_OPERATIONS = 100;
const MAX_BYTES = 1024 * 1024;
const WRITES_AT_ONCE = 8;
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions/';
/** Prefixes of keys that belong to the data folder and hold no objects. Servers on etcd claim node ports of services when they start. */
const OWN_PREFIXES = ['_pintle/', 'allocations/'] as const;
const PAGE = { limit: 1000, maxBytes: 4 * 1024 * 1024 } as const;

export interface Moved {
  readonly objects: number;
  readonly revision: Revision;
}

/**
 * Copies all keys of a store that no server has open into an empty prefix of etcd. A mark stands there until everything is
 * copied: no server starts on it before, and the next call empties the prefix and begins again. All revisions in etcd are
 * later than those of the source, so that clients list again and never see time go back.
 */
export async function copyToEtcd(source: Store, target: Store): Promise<Moved> {
  if (await isHalfMigrated(target)) await empty(target);
  else if ((await target.count({ start: '' })) > 0)
    throw new UsageError(
      'Cannot migrate: there are objects under this prefix of etcd. Choose another with --etcd-prefix.',
    );
  await target.commit([mark()]);
  await raise(target, source.revision);
  // A custom resource is stored with the kind that its definition names.
  const definitions = await copyKeys(source, target, (key) => key.startsWith(DEFINITIONS));
  const others = await copyKeys(source, target, (key) => !key.startsWith(DEFINITIONS) && !isOwn(key));
  const { revision } = await target.commit([{ type: 'delete', key: MIGRATION_MARK }]);
  return { objects: definitions + others, revision };
}

function isOwn(key: string): boolean {
  return OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Returns how many were copied. */
async function copyKeys(source: Store, target: Store, isCopied: (key: string) => boolean): Promise<number> {
  let objects = 0;
  const writes = new ParallelWrites(target);
  for await (const operations of transactionsOf(source, isCopied)) {
    objects += operations.length;
    await writes.add(operations);
  }
  await writes.finish();
  return objects;
}

function mark(): Operation {
  return { type: 'put', key: MIGRATION_MARK, value: Buffer.from('pintle migrate') };
}

/** Deletes everything but the mark, damaged objects too. */
async function empty(store: Store): Promise<void> {
  const keys: string[] = [];
  for (let start = '', more = true; more; ) {
    const damaged = ({ failure }: StoreError) => {
      if (failure.code === 'Corrupt' && failure.key !== undefined) keys.push(failure.key);
    };
    const page = await store.range({ start }, { ...PAGE, onDamaged: damaged });
    keys.push(...page.records.map(({ key }) => key));
    more = page.more;
    start = keyAfter(page.records.at(-1)?.key ?? start);
  }
  const copied = keys.filter((key) => key !== MIGRATION_MARK);
  for (let at = 0; at < copied.length; at += MAX_OPERATIONS)
    await store.commit(copied.slice(at, at + MAX_OPERATIONS).map((key) => ({ type: 'delete', key })));
}

/** Writes the mark again and again until etcd is at `revision`, then forgets all of it. */
async function raise(store: Store, revision: Revision): Promise<void> {
  const missing = revision - store.revision;
  if (missing <= 0) return;
  if (missing > MAX_RAISED)
    throw new UsageError(
      `Cannot migrate: etcd is at revision ${store.revision}, the objects are at ${revision}. Raise it first: etcdutl snapshot restore --bump-revision ${missing} --mark-compacted`,
    );
  while (store.revision < revision) {
    const count = Math.min(RAISES_AT_ONCE, revision - store.revision);
    await Promise.all(Array.from({ length: count }, () => store.commit([mark()])));
  }
  await store.compact(store.revision);
}

/** Yields the writes of all keys, as many at once as a transaction of etcd may have. */
async function* transactionsOf(source: Store, isCopied: (key: string) => boolean): AsyncGenerator<Operation[]> {
  const expirations = await source.expirations();
  const { revision } = source;
  let operations: Operation[] = [];
  let bytes = 0;
  for (let start = '', more = true; more; ) {
    const page = await source.range({ start }, { ...PAGE, revision });
    for (const { key, value } of page.records) {
      if (!isCopied(key)) continue;
      const size = key.length + value.length;
      if (operations.length === MAX_OPERATIONS || (bytes + size > MAX_BYTES && operations.length > 0)) {
        yield operations;
        operations = [];
        bytes = 0;
      }
      operations.push({ type: 'put', key, value, ...ttlOf(expirations.get(key)) });
      bytes += size;
    }
    more = page.more;
    start = keyAfter(page.records.at(-1)?.key ?? start);
  }
  if (operations.length > 0) yield operations;
}

function ttlOf(expiresAt: number | undefined): { readonly ttlMs?: number } {
  return expiresAt === undefined ? {} : { ttlMs: Math.max(1000, expiresAt - realClock.now()) };
}

/** Sends a few transactions at a time. */
class ParallelWrites {
  readonly #store: Store;
  readonly #writes = new Set<Promise<void>>();
  #failure: unknown;

  constructor(store: Store) {
    this.#store = store;
  }

  async add(operations: readonly Operation[]): Promise<void> {
    while (this.#writes.size >= WRITES_AT_ONCE) await Promise.race(this.#writes);
    this.#throwFailure();
    const write = this.#write(operations).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#writes);
    this.#throwFailure();
  }

  async #write(operations: readonly Operation[]): Promise<void> {
    try {
      await this.#store.commit(operations);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    const { message } = this.#failure as Error;
    if (this.#failure instanceof StoreError) throw new UsageError(`Cannot migrate: ${message}. Run it again.`);
    throw this.#failure;
  }
}
