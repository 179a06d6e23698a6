import type { Engine, EngineBatch } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import type { CommitResult } from '../store.ts';
import { Batch, type CommitRequest, type SequencedTransaction } from './batch.ts';
import type { KeyIndex } from './key-index.ts';
import type { Superblock } from './superblock.ts';
import type { PreparedOperation } from './transaction.ts';

export interface WriterOptions {
  readonly engine: Engine;
  readonly index: KeyIndex;
  readonly superblock: Superblock;
  /** Wall-clock time for deadlines. */
  readonly now: () => number;
  /** Called for every durable transaction that changed something, in order, before it is acknowledged. */
  readonly publish: (transaction: SequencedTransaction) => void;
}

/** A change to the engine besides transactions. It is built when its turn comes, from the superblock that then stands. */
export type Maintenance = (superblock: Superblock) => {
  readonly batch: EngineBatch;
  readonly superblock: Superblock;
};

/**
 * The only one who writes to the engine. While a batch is flushed, requests queue up; they become the next batch.
 *
 *     commit ──► queue ──► decide ──► flush ──► publish ──► acknowledge
 *                  ▲                    │
 *                  └─ refusals ─────────┘   no space: nothing of the batch happened, so they are decided again
 *
 * Any other failure of a flush leaves the outcome unknown. Then the writer stops for good: it never tries a flush twice.
 */
export class Writer {
  readonly #options: WriterOptions;
  #superblock: Superblock;
  #queue: CommitRequest[] = [];
  #maintenance: {
    readonly build: Maintenance;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  #running: Promise<void> | undefined;
  #failure: StoreError | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#superblock = options.superblock;
  }

  get superblock(): Superblock {
    return this.#superblock;
  }

  /** Why the writer has stopped, if it has. */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  commit(operations: readonly PreparedOperation[]): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ operations, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  maintain(build: Maintenance): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#maintenance.push({ build, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Refuses everything from now on. */
  stop(problem: string, options?: ErrorOptions): void {
    this.#failure ??= new StoreError({ code: 'Unavailable', problem }, options);
  }

  /** Resolves when nothing is queued or in flight. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#maintenance.length > 0) {
      await gathering(this.#options.engine);
      if (this.#queue.length > 0) await this.#flushTransactions();
      if (this.#maintenance.length > 0) await this.#flushMaintenance();
    }
    this.#running = undefined;
  }

  async #flushTransactions(): Promise<void> {
    if (this.#failure) {
      for (const request of this.#queue.splice(0)) request.reject(this.#failure);
      return;
    }
    const batch = this.#nextBatch();
    if (!batch.hasWrites) return;
    const next = batch.encode(this.#superblock);
    try {
      await this.#options.engine.write(next.batch);
    } catch (error) {
      this.#refuse(batch, error);
      return;
    }
    this.#superblock = next.superblock;
    for (const transaction of batch.transactions)
      if (transaction.changes.length > 0) this.#options.publish(transaction);
    for (const { revision, request } of batch.transactions) request.resolve({ revision });
    for (const { request, error } of batch.refusals) request.reject(error);
  }

  #nextBatch(): Batch {
    const batch = new Batch(this.#options.index, this.#superblock.last, this.#options.now());
    let taken = 0;
    while (taken < this.#queue.length && !batch.isFull) batch.add(this.#queue[taken++]!);
    this.#queue = this.#queue.slice(taken);
    return batch;
  }

  #refuse(batch: Batch, error: unknown): void {
    const failure = this.#failureOf(error);
    for (const { request } of batch.transactions) request.reject(failure);
    if (this.#failure === undefined) this.#queue.unshift(...batch.refusals.map(({ request }) => request));
    else for (const { request } of batch.refusals) request.reject(failure);
  }

  async #flushMaintenance(): Promise<void> {
    const { build, resolve, reject } = this.#maintenance.shift()!;
    if (this.#failure) {
      reject(this.#failure);
      return;
    }
    try {
      const next = build(this.#superblock);
      await this.#write(next.batch);
      this.#superblock = next.superblock;
      resolve();
    } catch (error) {
      reject(error);
    }
  }

  async #write(batch: EngineBatch): Promise<void> {
    try {
      await this.#options.engine.write(batch);
    } catch (error) {
      throw this.#failureOf(error);
    }
  }

  /** NoSpace passes; anything else stops the writer. */
  #failureOf(error: unknown): StoreError {
    if (error instanceof StoreError && error.failure.code === 'NoSpace') return error;
    this.stop(`writing failed: ${error instanceof Error ? error.message : error}`, { cause: error });
    return this.#failure!;
  }
}

function gathering(engine: Engine): Promise<void> {
  return engine.gather === 'microtask' ? Promise.resolve() : new Promise((resolve) => void setImmediate(resolve));
}
