import type { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { expect, test } from 'vitest';
import { limitReplicas, ScalingHistory } from './scaling-history.ts';

const MINUTE_MS = 60_000;

function scaler(behavior?: object): HorizontalPodAutoscaler {
  return { spec: { minReplicas: 1, maxReplicas: 20, ...(behavior && { behavior }) } } as HorizontalPodAutoscaler;
}

/** What becomes of each wish in turn, a minute apart: `10 -> 8 ScaleUpLimit`. */
function check(
  behavior: object | undefined,
  current: number,
  wishes: readonly number[],
  expected: readonly string[],
): void {
  const history = new ScalingHistory();
  let replicas = current;
  const seen = wishes.map((desired, minute) => {
    const nowMs = minute * MINUTE_MS;
    const limited = limitReplicas(scaler(behavior), history, { current: replicas, desired, nowMs });
    history.recordScaleEvent(limited.replicas - replicas, nowMs);
    replicas = limited.replicas;
    const { stability, limit: bound } = limited;
    return `${desired} -> ${replicas} ${stability.reason === 'ReadyForNewScale' ? bound.reason : stability.reason}`;
  });
  expect(seen).toEqual(expected);
}

test('without rules of its own a target doubles at most and waits five minutes before it shrinks', () => {
  check(undefined, 2, [20, 20], ['20 -> 4 ScaleUpLimit', '20 -> 8 ScaleUpLimit']);
  check(undefined, 4, [30, 30, 30], ['30 -> 8 ScaleUpLimit', '30 -> 16 ScaleUpLimit', '30 -> 20 TooManyReplicas']);
  const waiting = Array.from({ length: 4 }, () => '2 -> 4 ScaleDownStabilized');
  check(undefined, 4, [4, 2, 2, 2, 2, 2], ['4 -> 4 DesiredWithinRange', ...waiting, '2 -> 2 DesiredWithinRange']);
});

test('rules say how fast a target may grow and shrink', () => {
  const pods = (value: number) => ({
    policies: [{ type: 'Pods', value, periodSeconds: 90 }],
    stabilizationWindowSeconds: 0,
  });
  check(
    { scaleUp: pods(3) },
    2,
    [20, 20, 20],
    ['20 -> 5 ScaleUpLimit', '20 -> 5 ScaleUpLimit', '20 -> 8 ScaleUpLimit'],
  );
  check(
    { scaleDown: pods(1) },
    5,
    [1, 1, 1],
    ['1 -> 4 ScaleDownLimit', '1 -> 4 ScaleDownLimit', '1 -> 3 ScaleDownLimit'],
  );
  check({ scaleDown: { selectPolicy: 'Disabled', stabilizationWindowSeconds: 0 } }, 5, [1], ['1 -> 5 ScaleDownLimit']);
  const slow = { scaleUp: { stabilizationWindowSeconds: 90 } };
  check(slow, 2, [2, 6, 6], ['2 -> 2 DesiredWithinRange', '6 -> 2 ScaleUpStabilized', '6 -> 6 DesiredWithinRange']);
});
