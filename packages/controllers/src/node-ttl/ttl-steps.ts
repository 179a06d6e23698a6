interface Step {
  readonly fewest: number;
  readonly most: number;
  readonly seconds: number;
}

/** They overlap, so that one node more or less does not go back and forth between two of them. */
const STEPS: readonly Step[] = [
  { fewest: 0, most: 100, seconds: 0 },
  { fewest: 90, most: 500, seconds: 15 },
  { fewest: 450, most: 1_000, seconds: 30 },
  { fewest: 900, most: 2_000, seconds: 60 },
  { fewest: 1_800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** How long nodes may keep what they read, the longer the more nodes there are to read it. */
export class TtlSteps {
  #step = 0;

  secondsFor(nodes: number): number {
    while (nodes > STEPS[this.#step]!.most) this.#step++;
    while (nodes < STEPS[this.#step]!.fewest) this.#step--;
    return STEPS[this.#step]!.seconds;
  }
}
