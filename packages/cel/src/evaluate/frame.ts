import type { Value } from '../values/value.ts';

/** Thrown through an evaluation when it has cost more than it may; `evaluate` turns it into an error. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One evaluation: its variables, and what it has cost so far, in Kubernetes' units. */
export class Frame {
  readonly slots: Value[];
  readonly #limit: number;
  cost = 0;

  constructor(slots: Value[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  /** Adds to the cost where it may run away; single steps are added without looking. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}

/** A part of a compiled expression. */
export type Step = (frame: Frame) => Value;
