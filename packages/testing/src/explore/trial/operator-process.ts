import type { Request } from '@pintle/operator';
import type { ControlPlane } from '../../plane/control-plane.ts';
import type { Operator, OvertakenProcess } from '../../plane/operator.ts';
import { nextDueMs } from '../../wait/idle-detector.ts';

/** Limit of a rest, by the plane's clock. */
const REST_WITHIN = '5m';

/** A request of a controller. */
export interface ControllerRequest {
  readonly controller: string;
  readonly request: Request;
}

/** The operator of a run, as a process that can be killed and started again. */
export interface OperatorProcess {
  readonly isRunning: boolean;
  /** Number of processes that were started. */
  readonly starts: number;
  /** True when the process has listed what it watches. */
  readonly isSynced: boolean;
  /** True when the process may write. */
  readonly isLeader: boolean;
  /** Time until the next delayed reconcile; `Infinity` when none is known. */
  readonly nextDueMs: number;
  /** Does nothing while the process runs. */
  start(): void;
  crash(): void;
  /** Pauses the process and starts another; `undefined` when that is not possible. */
  overtake(): OvertakenProcess | undefined;
  enqueue(requests: readonly ControllerRequest[]): void;
  /** Resolves when nothing is left to do now. Rejects when that takes too long. */
  untilIdle(): Promise<void>;
  close(): Promise<void>;
}

/** An operator on a `Manager` in this process. */
export class ManagedOperator implements OperatorProcess {
  readonly #plane: ControlPlane;
  readonly #operator: Operator;

  constructor(plane: ControlPlane, operator: Operator) {
    this.#plane = plane;
    this.#operator = operator;
  }

  get isRunning(): boolean {
    return this.#operator.isRunning;
  }

  get starts(): number {
    return this.#operator.starts;
  }

  get isSynced(): boolean {
    return this.isRunning && this.#operator.manager.informers.informers().every(({ isSynced }) => isSynced);
  }

  get isLeader(): boolean {
    return this.#operator.manager.isLeader;
  }

  get nextDueMs(): number {
    return nextDueMs([this.#operator.manager]);
  }

  start(): void {
    this.#operator.start();
  }

  crash(): void {
    this.#operator.crash();
  }

  overtake(): OvertakenProcess | undefined {
    return this.#operator.overtake();
  }

  enqueue(requests: readonly ControllerRequest[]): void {
    if (!this.isRunning) return;
    const { controllers } = this.#operator.manager;
    for (const { controller, request } of requests)
      controllers.find(({ name }) => name === controller)?.enqueue(request);
  }

  async untilIdle(): Promise<void> {
    await this.#plane.untilIdle({ within: REST_WITHIN });
  }

  /** The plane stops it. */
  async close(): Promise<void> {}
}
