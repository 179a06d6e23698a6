import type { HorizontalPodAutoscaler, HPAScalingRules } from '@pintle/kinds/autoscaling/v2';

/** Recent recommendations and scale events of a target, which keep it from going back and forth. */
export class ScalingHistory {
  #recommendations: { readonly replicas: number; readonly atMs: number }[] = [];
  /** Scale events; positive when replicas were added. */
  #scaleEvents: { readonly replicas: number; readonly atMs: number }[] = [];

  /** Records the current size as the first recommendation. */
  recordInitial(replicas: number, atMs: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ replicas, atMs });
  }

  recordRecommendation(replicas: number, atMs: number): void {
    this.#recommendations.push({ replicas, atMs });
    this.#recommendations = this.#recommendations.filter((one) => one.atMs > atMs - LONGEST_MS);
  }

  recordScaleEvent(replicas: number, atMs: number): void {
    this.#scaleEvents.push({ replicas, atMs });
    this.#scaleEvents = this.#scaleEvents.filter((one) => one.atMs > atMs - LONGEST_MS);
  }

  recommendedSince(sinceMs: number): number[] {
    return this.#recommendations.filter(({ atMs }) => atMs > sinceMs).map(({ replicas }) => replicas);
  }

  scaledSince(sinceMs: number): number {
    return this.#scaleEvents.filter(({ atMs }) => atMs > sinceMs).reduce((sum, { replicas }) => sum + replicas, 0);
  }
}

/** Longest window or period that the API allows. */
const LONGEST_MS = 3_600_000;
const DOWN_WINDOW_SECONDS = 300;

const DEFAULT_UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DEFAULT_DOWN: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

interface Reason {
  readonly reason: string;
  readonly message: string;
}

/** A recommendation within bounds, and the conditions about it. */
interface LimitedReplicas {
  readonly replicas: number;
  readonly stability: Reason;
  readonly limit: Reason & { readonly isLimited: boolean };
}

/** Stabilizes a recommendation by former ones, then limits it to the scaling rates and bounds. */
export function limitReplicas(
  { spec }: HorizontalPodAutoscaler,
  history: ScalingHistory,
  { current, desired, nowMs }: { readonly current: number; readonly desired: number; readonly nowMs: number },
): LimitedReplicas {
  const { behavior, minReplicas = 1, maxReplicas = 1 } = spec ?? {};
  const up = { ...DEFAULT_UP, ...behavior?.scaleUp };
  const down = { ...DEFAULT_DOWN, ...behavior?.scaleDown };
  const stabilized =
    behavior === undefined
      ? Math.max(desired, ...history.recommendedSince(nowMs - DOWN_WINDOW_SECONDS * 1_000))
      : stabilizeRecommendation(history, { up, down, current, desired, nowMs });
  history.recordRecommendation(desired, nowMs);
  const bounds = { current, desired: stabilized, min: minReplicas, max: maxReplicas };
  const limited =
    behavior === undefined ? limitToBounds(bounds) : limitToRates(history, { up, down, nowMs, ...bounds });
  return {
    replicas: limited.replicas,
    stability:
      stabilized === desired ? READY : desired >= current && behavior !== undefined ? UP_STABILIZED : DOWN_STABILIZED,
    limit: { ...limited.reason, isLimited: limited.replicas !== stabilized },
  };
}

const READY = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const UP_STABILIZED = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DOWN_STABILIZED = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const TOO_MANY = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FEW = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_FAST_UP = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const TOO_FAST_DOWN = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };

interface Bounds {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
}

interface Rules {
  readonly up: HPAScalingRules;
  readonly down: HPAScalingRules;
  readonly nowMs: number;
}

type Limit = { readonly replicas: number; readonly reason: Reason };

/** Scales up to the lowest, and down to the highest recommendation within the windows. */
function stabilizeRecommendation(
  history: ScalingHistory,
  { up, down, current, desired, nowMs }: Rules & { readonly current: number; readonly desired: number },
): number {
  const sinceMs = ({ stabilizationWindowSeconds }: HPAScalingRules): number =>
    nowMs - (stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS) * 1_000;
  const least = Math.min(desired, ...history.recommendedSince(sinceMs(up)));
  const most = Math.max(desired, ...history.recommendedSince(sinceMs(down)));
  return Math.min(Math.max(current, least), most);
}

/** Without behavior, a target at most doubles, or grows to four. */
function limitToBounds({ current, desired, min, max }: Bounds): Limit {
  const fastest = Math.max(2 * current, 4);
  const most = Math.min(max, fastest);
  if (desired < min) return { replicas: min, reason: TOO_FEW };
  if (desired > most) return { replicas: most, reason: max > fastest ? TOO_FAST_UP : TOO_MANY };
  return { replicas: desired, reason: WITHIN };
}

function limitToRates(history: ScalingHistory, { current, desired, min, max, ...rules }: Bounds & Rules): Limit {
  if (desired > current) {
    const fastest = Math.max(current, rateLimit(history, current, rules.up, rules.nowMs, 1));
    const most = Math.min(max, fastest);
    if (desired > most) return { replicas: most, reason: max > fastest ? TOO_FAST_UP : TOO_MANY };
  } else if (desired < current) {
    const fastest = Math.min(current, rateLimit(history, current, rules.down, rules.nowMs, -1));
    const least = Math.max(min, fastest);
    if (desired < least) return { replicas: least, reason: min < fastest ? TOO_FAST_DOWN : TOO_FEW };
  }
  return { replicas: desired, reason: WITHIN };
}

/** Returns the limit that the policies set, relative to the size at the start of their periods. */
function rateLimit(
  history: ScalingHistory,
  current: number,
  { policies = [], selectPolicy }: HPAScalingRules,
  nowMs: number,
  direction: 1 | -1,
): number {
  if (selectPolicy === 'Disabled') return current;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const start = current - history.scaledSince(nowMs - periodSeconds * 1_000);
    if (type === 'Pods') return start + direction * value;
    const scaled = start * (1 + (direction * value) / 100);
    return direction === 1 ? Math.ceil(scaled) : Math.trunc(scaled);
  });
  const isHighest = (selectPolicy === 'Min') === (direction === -1);
  return isHighest ? Math.max(...proposals) : Math.min(...proposals);
}
