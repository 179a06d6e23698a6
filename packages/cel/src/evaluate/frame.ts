import type { Value } from '../values/value.ts';

/** Thrown when an evaluation exceeds its cost limit; `evaluate` returns it as an error. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One evaluation: its variables, and its cost so far in Kubernetes' units. */
export class Frame {
  readonly slots: Value[];
  readonly #limit: number;
  cost = 0;

  constructor(slots: Value[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  /** Adds to the cost and checks the limit. Single steps are added without the check. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}

/** A part of a compiled expression. */
export type Step = (frame: Frame) => Value;
