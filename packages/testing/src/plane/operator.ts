import { abortable, deferred } from '@pintle/async';
import { ClientError } from '@pintle/client';
import type { Manager } from '@pintle/operator';
import { Standstill } from '../clock/standstill.ts';
import type { OperatorOptions } from '../options.ts';

interface OperatorDependencies {
  /** Creates a manager that talks to the server until `killed` aborts. */
  createManager(options: OperatorOptions, killed: AbortSignal, onWrite: () => void, standstill: Standstill): Manager;
  /** Called when the operator ends by itself. */
  onFailure(error: unknown): void;
}

/** Adds controllers, webhooks and other parts of an operator to its manager. */
export type Setup = (manager: Manager) => unknown;

/** Reason of the calls of a process that crashed. One that is not awaited rejects unhandled, and only this text is shown. */
const CRASHED =
  'The process crashed. Where this is an unhandled rejection, the operator does not await a call, such as ctx.apply';

/**
 * An operator as a process: a test starts it, crashes it at any moment and starts it again. A new process knows only what it
 * reads from the server.
 */
export class Operator implements AsyncDisposable {
  readonly #dependencies: OperatorDependencies;
  readonly #setup: Setup;
  readonly #options: OperatorOptions;
  #current: OperatorProcess | undefined;
  /** Processes that were asked to stop and have not ended yet, without those that were killed. */
  readonly #stopping = new Set<OperatorProcess>();
  /** Processes that were replaced while they stood still. */
  readonly #overtaken = new WeakSet<OperatorProcess>();
  #writes = 0;
  #starts = 0;

  constructor(dependencies: OperatorDependencies, setup: Setup, options: OperatorOptions) {
    this.#dependencies = dependencies;
    this.#setup = setup;
    this.#options = options;
    this.start();
  }

  /** Manager of the running process. Throws when none runs. */
  get manager(): Manager {
    if (this.#current === undefined) throw new Error('Cannot get the manager: the operator is not running');
    return this.#current.manager;
  }

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** Number of writes of all its processes that took effect, without events and leases. */
  get writes(): number {
    return this.#writes;
  }

  /** Number of processes so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Starts a process unless one runs. */
  start(): void {
    if (this.#current !== undefined) return;
    const killed = new AbortController();
    const stop = new AbortController();
    const standstill = new Standstill();
    const manager = this.#dependencies.createManager(this.#options, killed.signal, () => this.#count(), standstill);
    this.#starts++;
    const ended = deferred();
    const current: OperatorProcess = { manager, killed, stop, standstill, ended: ended.promise };
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

  /** Kills the process: requests under way get no response. Its lease stays until it expires. */
  crash(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    kill(current, new Error(CRASHED));
  }

  /**
   * Pauses the process, like a machine that is suspended for longer than a lease lasts, and starts another. When the first
   * resumes, two run at once, and the first still has its old caches.
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
        kill(current, new Error('The process was replaced while it was paused'));
        current.standstill.resume();
      },
    };
  }

  /** Asks the process to stop, as SIGTERM does, and waits until it has. */
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

  /** Kills processes that were asked to stop and have not. */
  endStopping(): void {
    for (const process of this.#stopping) kill(process, new Error('The operator did not stop'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run({ manager, stop, killed }: OperatorProcess): Promise<void> {
    await abortable(Promise.resolve(this.#setup(manager)), killed.signal);
    await manager.run({ signal: stop.signal, kill: killed.signal });
  }

  /** Restarts a process that ended because it lost its lease; reports any other end. */
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

/** A paused process that another has replaced. */
export interface OvertakenProcess {
  /** Continues the process where it was paused. */
  resume(): void;
  /** Ends the process, as when it learns that it leads no more. */
  kill(): void;
}

interface OperatorProcess {
  readonly standstill: Standstill;
  readonly manager: Manager;
  /** Aborts when the process is killed without notice. */
  readonly killed: AbortController;
  readonly stop: AbortController;
  /** Resolves when the process has ended or was killed. */
  readonly ended: Promise<void>;
}

/** Aborts `killed` first: a process that is asked to stop would still release its lease. */
function kill({ killed, stop }: OperatorProcess, reason: unknown): void {
  killed.abort(reason);
  stop.abort(reason);
}
