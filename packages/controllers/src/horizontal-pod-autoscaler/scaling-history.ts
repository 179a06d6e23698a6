import type { HorizontalPodAutoscaler, HPAScalingRules } from '@pintle/kinds/autoscaling/v2';

/** Recent recommendations and scale events of a target, which keep it from going back and forth. */
export class ScalingHistory {
  #recommendations: { readonly replicas: number; readonly atMs: number }[] = [];
  /** Scale events; positive when replicas were added. */
  #changes: { readonly replicas: number; readonly atMs: number }[] = [];

  /** Records the current size as the first recommendation. */
  begin(replicas: number, atMs: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ replicas, atMs });
  }

  recommend(replicas: number, atMs: number): void {
    this.#recommendations.push({ replicas, atMs });
    this.#recommendations = this.#recommendations.filter((one) => one.atMs > atMs - LONGEST_MS);
  }

  change(replicas: number, atMs: number): void {
    this.#changes.push({ replicas, atMs });
    this.#changes = this.#changes.filter((one) => one.atMs > atMs - LONGEST_MS);
  }

  recommendedSince(sinceMs: number): number[] {
    return this.#recommendations.filter(({ atMs }) => atMs > sinceMs).map(({ replicas }) => replicas);
  }

  changedSince(sinceMs: number): number {
    return this.#changes.filter(({ atMs }) => atMs > sinceMs).reduce((sum, { replicas }) => sum + replicas, 0);
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

interface Remark {
  readonly reason: string;
  readonly message: string;
}

/** A recommendation within bounds, and the conditions about it. */
interface Limited {
  readonly replicas: number;
  readonly stability: Remark;
  readonly limit: Remark & { readonly isLimited: boolean };
}

/** Stabilizes a recommendation by former ones, then limits it to the scaling rates and bounds. */
export function limit(
  { spec }: HorizontalPodAutoscaler,
  history: ScalingHistory,
  { current, wished, nowMs }: { readonly current: number; readonly wished: number; readonly nowMs: number },
): Limited {
  const { behavior, minReplicas = 1, maxReplicas = 1 } = spec ?? {};
  const up = { ...DEFAULT_UP, ...behavior?.scaleUp };
  const down = { ...DEFAULT_DOWN, ...behavior?.scaleDown };
  const steady =
    behavior === undefined
      ? Math.max(wished, ...history.recommendedSince(nowMs - DOWN_WINDOW_SECONDS * 1_000))
      : steadied(history, { up, down, current, wished, nowMs });
  history.recommend(wished, nowMs);
  const bounds = { current, wished: steady, min: minReplicas, max: maxReplicas };
  const held = behavior === undefined ? heldToBounds(bounds) : heldToRates(history, { up, down, nowMs, ...bounds });
  return {
    replicas: held.replicas,
    stability:
      steady === wished ? READY : wished >= current && behavior !== undefined ? UP_STABILIZED : DOWN_STABILIZED,
    limit: { ...held.remark, isLimited: held.replicas !== steady },
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
  readonly wished: number;
  readonly min: number;
  readonly max: number;
}

interface Rules {
  readonly up: HPAScalingRules;
  readonly down: HPAScalingRules;
  readonly nowMs: number;
}

type Held = { readonly replicas: number; readonly remark: Remark };

/** Scales up to the lowest, and down to the highest recommendation within the windows. */
function steadied(
  history: ScalingHistory,
  { up, down, current, wished, nowMs }: Rules & { readonly current: number; readonly wished: number },
): number {
  const sinceMs = ({ stabilizationWindowSeconds }: HPAScalingRules): number =>
    nowMs - (stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS) * 1_000;
  const least = Math.min(wished, ...history.recommendedSince(sinceMs(up)));
  const most = Math.max(wished, ...history.recommendedSince(sinceMs(down)));
  return Math.min(Math.max(current, least), most);
}

/** Without behavior, a target at most doubles, or grows to four. */
function heldToBounds({ current, wished, min, max }: Bounds): Held {
  const fastest = Math.max(2 * current, 4);
  const most = Math.min(max, fastest);
  if (wished < min) return { replicas: min, remark: TOO_FEW };
  if (wished > most) return { replicas: most, remark: max > fastest ? TOO_FAST_UP : TOO_MANY };
  return { replicas: wished, remark: WITHIN };
}

function heldToRates(history: ScalingHistory, { current, wished, min, max, ...rules }: Bounds & Rules): Held {
  if (wished > current) {
    const fastest = Math.max(current, rateLimit(history, current, rules.up, rules.nowMs, 1));
    const most = Math.min(max, fastest);
    if (wished > most) return { replicas: most, remark: max > fastest ? TOO_FAST_UP : TOO_MANY };
  } else if (wished < current) {
    const fastest = Math.min(current, rateLimit(history, current, rules.down, rules.nowMs, -1));
    const least = Math.max(min, fastest);
    if (wished < least) return { replicas: least, remark: min < fastest ? TOO_FAST_DOWN : TOO_FEW };
  }
  return { replicas: wished, remark: WITHIN };
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
    const start = current - history.changedSince(nowMs - periodSeconds * 1_000);
    if (type === 'Pods') return start + direction * value;
    const scaled = start * (1 + (direction * value) / 100);
    return direction === 1 ? Math.ceil(scaled) : Math.trunc(scaled);
  });
  const isHighest = (selectPolicy === 'Min') === (direction === -1);
  return isHighest ? Math.max(...proposals) : Math.min(...proposals);
}
