import type { Engine, EngineBatch } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import type { CommitResult } from '../store.ts';
import { Batch, type CommitRequest, type SequencedTransaction } from './batch.ts';
import type { KeyIndex } from './key-index.ts';
import type { Superblock } from './superblock.ts';
import { isForDeletion, type PreparedOperation } from './transaction.ts';

interface WriterOptions {
  readonly engine: Engine;
  readonly index: KeyIndex;
  readonly superblock: Superblock;
  /** Wall-clock time for deadlines. */
  readonly now: () => number;
  /** Called for every durable transaction, in order: it becomes part of the state that the next ones are decided on. */
  readonly apply: (transaction: SequencedTransaction) => void;
  /** Called for every durable transaction that changed something, in order, before it is acknowledged. */
  readonly publish: (transaction: SequencedTransaction) => void;
  /** Called when there was no space for a batch. Resolves when some may have been freed. */
  readonly makeRoom: () => Promise<void>;
}

/** A change to the engine besides transactions. It is built when its turn comes, from the superblock at that time. */
export type Maintenance = (superblock: Superblock) => {
  readonly batch: EngineBatch;
  readonly superblock: Superblock;
};

/**
 * The only writer to the engine. While a batch is flushed, requests queue up; they become the next batch.
 *
 *     commit ──► queue ──► decide ──► flush ──► apply ──► publish ──► acknowledge
 *                  ▲                    │
 *                  └─ refusals ─────────┘   no space: nothing of the batch was applied, so they are decided again, and so
 *                                           are deletions, now in separate batches: there is space held back for them
 *
 * Any other failure of a flush leaves the outcome unknown. Then the writer stops for good: it never tries a flush
 * twice.
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
  #wasMaintenance = false;
  /** There was no space for the last batch with writes other than deletions. */
  #isFull = false;
  /** Deletions that have waited for room once. */
  readonly #waited = new WeakSet<CommitRequest>();
  #running: Promise<void> | undefined;
  #failure: StoreError | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#superblock = options.superblock;
  }

  get superblock(): Superblock {
    return this.#superblock;
  }

  /** Reason why the writer has stopped, if it has. */
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
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    let flush = await this.#gather();
    while (flush !== undefined) {
      const problem = await settled(flush.written);
      if (problem === undefined) flush.apply();
      else flush.refuse(this.#failureOf(problem.reason));
      const next = this.#start();
      if (problem === undefined) flush.acknowledge();
      flush = next ?? (await this.#gather());
    }
    this.#running = this.#hasWork ? this.#run() : undefined;
  }

  get #hasWork(): boolean {
    return this.#queue.length > 0 || this.#maintenance.length > 0;
  }

  /** Waits for writers to gather, then starts. Nothing is in flight. */
  async #gather(): Promise<Flush | undefined> {
    await gathering(this.#options.engine);
    return this.#start();
  }

  /** Starts the next flush, if there is anything to write. Maintenance alternates with batches of transactions. */
  #start(): Flush | undefined {
    if (this.#failure) this.#refuseAll(this.#failure);
    if (this.#maintenance.length > 0 && (this.#queue.length === 0 || !this.#wasMaintenance))
      return this.#startMaintenance();
    this.#wasMaintenance = false;
    return this.#queue.length > 0 ? this.#startTransactions() : undefined;
  }

  #startTransactions(): Flush | undefined {
    const batch = this.#nextBatch();
    if (!batch.hasWrites) return this.#start();
    const next = batch.encode(this.#superblock);
    return {
      written: this.#options.engine.write(next.batch),
      apply: () => {
        this.#superblock = next.superblock;
        if (!batch.isForDeletion) this.#isFull = false;
        for (const transaction of batch.transactions) this.#options.apply(transaction);
      },
      acknowledge: () => {
        for (const transaction of batch.transactions)
          if (transaction.changes.length > 0) this.#options.publish(transaction);
        for (const { revision, request } of batch.transactions) request.resolve({ revision });
        for (const { request, error } of batch.refusals) request.reject(error);
      },
      refuse: (failure) => {
        const requests = batch.transactions.map(({ request }) => request);
        const again = this.#refuse(batch, requests, failure);
        this.#queue.unshift(...again, ...batch.refusals.map(({ request }) => request));
      },
    };
  }

  #nextBatch(): Batch {
    const batch = new Batch(this.#options.index, this.#superblock.last, this.#options.now());
    const isForDeletion = isDeletion(this.#queue[0]!);
    let taken = 0;
    while (taken < this.#queue.length && !batch.isFull) {
      if (this.#isFull && isDeletion(this.#queue[taken]!) !== isForDeletion) break;
      batch.add(this.#queue[taken++]!);
    }
    this.#queue = this.#queue.slice(taken);
    return batch;
  }

  /**
   * Returns the requests that are decided again at once. Without space, nothing of the batch was applied, and only
   * writes other than deletions are refused: deletions that came with them go on without them, and deletions for which
   * there was no space either are tried once more when room was freed.
   */
  #refuse(batch: Batch, requests: readonly CommitRequest[], failure: StoreError): CommitRequest[] {
    if (failure.failure.code !== 'NoSpace') {
      for (const request of requests) request.reject(failure);
      return [];
    }
    const room = this.#options.makeRoom();
    if (!batch.isForDeletion) this.#isFull = true;
    const again: CommitRequest[] = [];
    const later: CommitRequest[] = [];
    for (const request of requests) {
      if (!isDeletion(request) || this.#waited.has(request)) request.reject(failure);
      else (batch.isForDeletion ? later : again).push(request);
    }
    if (later.length > 0) void room.then(() => this.#tryAgain(later));
    return again;
  }

  #tryAgain(requests: readonly CommitRequest[]): void {
    for (const request of requests) this.#waited.add(request);
    this.#queue.unshift(...requests);
    this.#running ??= this.#run();
  }

  #startMaintenance(): Flush | undefined {
    this.#wasMaintenance = true;
    const { build, resolve, reject } = this.#maintenance.shift()!;
    try {
      const next = build(this.#superblock);
      return {
        written: this.#options.engine.write(next.batch),
        apply: () => {
          this.#superblock = next.superblock;
        },
        acknowledge: resolve,
        refuse: reject,
      };
    } catch (error) {
      reject(error);
      return this.#start();
    }
  }

  #refuseAll(failure: StoreError): void {
    for (const { reject } of [...this.#queue.splice(0), ...this.#maintenance.splice(0)]) reject(failure);
  }

  /** NoSpace is temporary; any other failure stops the writer. */
  #failureOf(error: unknown): StoreError {
    if (error instanceof StoreError && error.failure.code === 'NoSpace') return error;
    this.stop(`writing failed: ${error instanceof Error ? error.message : error}`, { cause: error });
    return this.#failure!;
  }
}

function isDeletion({ operations }: CommitRequest): boolean {
  return isForDeletion(operations);
}

/** One batch that is being flushed. */
interface Flush {
  readonly written: Promise<void>;
  /** Applies the durable batch: the next decisions are based on it. */
  readonly apply: () => void;
  /** Publishes and acknowledges the batch. */
  readonly acknowledge: () => void;
  readonly refuse: (failure: StoreError) => void;
}

async function settled(promise: Promise<void>): Promise<{ readonly reason: unknown } | undefined> {
  try {
    await promise;
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

function gathering(engine: Engine): Promise<void> {
  return engine.gather === 'microtask' ? Promise.resolve() : new Promise((resolve) => process.nextTick(resolve));
}
