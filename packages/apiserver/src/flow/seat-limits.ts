/** Limits on the seats of a priority level. */
export interface LevelLimits {
  /** Its share of the server's seats. */
  readonly nominal: number;
  /** Seats that it does not lend. */
  readonly lower: number;
  /** Seats that it may have with borrowed ones. */
  readonly upper: number;
}

export interface LevelShares {
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** `undefined` for no limit. */
  readonly borrowingLimitPercent: number | undefined;
}

/** Divides the server's seats by shares. */
export function divideSeats(total: number, levels: readonly LevelShares[]): LevelLimits[] {
  const sum = levels.reduce((shares, level) => shares + level.nominalConcurrencyShares, 0);
  return levels.map(({ nominalConcurrencyShares, lendablePercent, borrowingLimitPercent }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((total * nominalConcurrencyShares) / sum);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowable =
      borrowingLimitPercent === undefined ? total : Math.round((nominal * borrowingLimitPercent) / 100);
    return { nominal, lower: nominal - lendable, upper: Math.min(total, nominal + borrowable) };
  });
}

interface LevelDemand extends LevelLimits {
  /** Highest number of seats that it could have used at once in the last interval. */
  readonly highDemand: number;
  /** Smoothed demand. */
  readonly smoothDemand: number;
}

/**
 * Divides the seats by demand: each level gets what it needs of its own share, and the rest is divided in proportion to demand,
 * within the limits.
 */
export function lendSeats(total: number, levels: readonly LevelDemand[]): number[] {
  const floors = levels.map(({ lower, nominal, highDemand }) => Math.max(lower, Math.min(nominal, highDemand)));
  if (floors.reduce((sum, floor) => sum + floor, 0) >= total) return floors;
  const targets = levels.map(({ smoothDemand }, i) => Math.max(floors[i]!, smoothDemand, 1));
  const at = (fraction: number): number[] =>
    levels.map(({ upper }, i) => Math.min(upper, Math.max(floors[i]!, fraction * targets[i]!)));
  const fraction = solve((candidate) => at(candidate).reduce((sum, seats) => sum + seats, 0), total);
  return at(fraction).map((seats) => Math.max(1, Math.round(seats)));
}

const STEPS = 40;

/** Returns approximately the largest argument at which an increasing function does not exceed `limit`. */
function solve(grows: (argument: number) => number, limit: number): number {
  let low = 0;
  let high = limit;
  if (grows(high) <= limit) return high;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (grows(middle) > limit) high = middle;
    else low = middle;
  }
  return low;
}
