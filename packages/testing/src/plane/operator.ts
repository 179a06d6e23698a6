import { abortable, deferred } from '@pintle/async';
import { ClientError } from '@pintle/client';
import type { Manager } from '@pintle/operator';
import { Standstill } from '../clock/standstill.ts';
import type { OperatorOptions } from '../options.ts';

/** A process of an operator: what it is made of and how it is run. */
interface OperatorDependencies {
  /** A manager that talks to the server until `life` ends. */
  createManager(options: OperatorOptions, life: AbortSignal, onWrite: () => void, standstill: Standstill): Manager;
  /** The operator ended without being told to. */
  onFailure(error: unknown): void;
}

/** Adds controllers and whatever else belongs to an operator. */
export type Setup = (manager: Manager) => unknown;

/**
 * An operator as a process: it is started, can crash at the worst moment and is started again, knowing nothing but what
 * the server tells it.
 */
export class Operator implements AsyncDisposable {
  readonly #dependencies: OperatorDependencies;
  readonly #setup: Setup;
  readonly #options: OperatorOptions;
  #current: Incarnation | undefined;
  /** Those that were asked to stop and have not ended yet. Who was killed is not waited for. */
  readonly #stopping = new Set<Incarnation>();
  /** Those whose place another has taken while they stood still. */
  readonly #overtaken = new WeakSet<Incarnation>();
  #writes = 0;
  #starts = 0;

  constructor(dependencies: OperatorDependencies, setup: Setup, options: OperatorOptions) {
    this.#dependencies = dependencies;
    this.#setup = setup;
    this.#options = options;
    this.start();
  }

  /** Of the process that runs now. */
  get manager(): Manager {
    if (this.#current === undefined) throw new Error('Cannot tell the manager: the operator does not run');
    return this.#current.manager;
  }

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** How many writes took effect, of all its processes; events and leases do not count. */
  get writes(): number {
    return this.#writes;
  }

  /** How many processes there have been. */
  get starts(): number {
    return this.#starts;
  }

  /** Does nothing while it runs. */
  start(): void {
    if (this.#current !== undefined) return;
    const life = new AbortController();
    const stop = new AbortController();
    const standstill = new Standstill();
    const manager = this.#dependencies.createManager(this.#options, life.signal, () => this.#count(), standstill);
    this.#starts++;
    const ended = deferred();
    const current: Incarnation = { manager, life, stop, standstill, ended: ended.promise };
    this.#current = current;
    this.#run(current).then(
      () => ended.resolve(),
      (error: unknown) => {
        if (this.#current === current) this.#current = undefined;
        const wasAskedTo = stop.signal.aborted || this.#overtaken.has(current);
        kill(current, error);
        if (!wasAskedTo) this.#end(error);
        ended.resolve();
      },
    );
  }

  /** Kills it: what is under way is neither finished nor heard of. Its lease stays until it runs out. */
  crash(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    kill(current, new Error('The process crashed'));
  }

  /**
   * Lets its process stand still, as a machine that is paused for longer than a lease lasts, and starts another. Two run at
   * once when the first goes on; it then knows what it knew before.
   */
  overtake(): OvertakenProcess | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    this.#overtaken.add(current);
    this.#current = undefined;
    current.standstill.begin();
    this.start();
    return {
      resume: () => current.standstill.resume(),
      kill: () => {
        kill(current, new Error('The process was overtaken, and has noticed it'));
        current.standstill.resume();
      },
    };
  }

  /** Asks it to stop, as SIGTERM does, and waits until it has. */
  async stop(): Promise<void> {
    const current = this.#current;
    if (current !== undefined) {
      this.#current = undefined;
      this.#stopping.add(current);
      current.ended.then(() => this.#stopping.delete(current));
      current.stop.abort(new Error('The operator was asked to stop'));
    }
    await Promise.all([...this.#stopping].map(({ ended }) => ended));
  }

  /** Kills what was asked to stop and has not. */
  endStopping(): void {
    for (const incarnation of this.#stopping) kill(incarnation, new Error('The operator did not stop'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run({ manager, stop, life }: Incarnation): Promise<void> {
    await abortable(Promise.resolve(this.#setup(manager)), life.signal);
    await manager.run({ signal: stop.signal, kill: life.signal });
  }

  /** A process that lost its lease ends itself, to be started anew. */
  #end(error: unknown): void {
    const isLeaseLost = error instanceof ClientError && error.failure.code === 'LeaseLost';
    if (!isLeaseLost) this.#dependencies.onFailure(error);
    else if (this.#options.isRestarted !== false) this.start();
  }

  #count(): void {
    this.#writes++;
    if (this.#writes !== this.#options.crashAfterWrite) return;
    this.crash();
    if (this.#options.isRestarted !== false) this.start();
  }
}

/** A process that stood still while another took its place. */
export interface OvertakenProcess {
  /** It goes on with what it was doing. */
  resume(): void;
  /** It learns that it leads no more, and ends. */
  kill(): void;
}

interface Incarnation {
  readonly standstill: Standstill;
  readonly manager: Manager;
  /** Ends without notice. */
  readonly life: AbortController;
  readonly stop: AbortController;
  /** Resolves when it has ended or was killed. */
  readonly ended: Promise<void>;
}

/** First the life: whoever is told to stop would send farewells. */
function kill({ life, stop }: Incarnation, reason: unknown): void {
  life.abort(reason);
  stop.abort(reason);
}
