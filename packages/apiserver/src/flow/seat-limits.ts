/** How many seats a priority level may have. */
export interface LevelLimits {
  /** Its share of the server. */
  readonly nominal: number;
  /** What it keeps whatever others need. */
  readonly lower: number;
  /** What it may have at most while others have no need. */
  readonly upper: number;
}

export interface LevelShares {
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** `undefined`: there is no limit. */
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
  /** The most seats it could have used at once since the last time. */
  readonly highDemand: number;
  /** About what it has needed for a while. */
  readonly smoothDemand: number;
}

/**
 * Who lends and who borrows: each level gets what it needs of its own share, and what is left goes to all in proportion
 * to what they need, within their limits.
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

/** The largest argument, nearly, at which a function that only grows does not exceed `limit`. */
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
