import type { CachedClient } from '@pintle/client';
import type { MetricStatus } from '@pintle/kinds/autoscaling/v2';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';

type Status = NonNullable<HorizontalPodAutoscaler['status']>;
type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';

/** Builds the status of an autoscaler. The time of a condition changes only with its content. */
export class StatusDraft {
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #nowMs: number;
  #status: Status;

  constructor(autoscaler: HorizontalPodAutoscaler, nowMs: number) {
    this.#autoscaler = autoscaler;
    this.#nowMs = nowMs;
    this.#status = autoscaler.status ?? { desiredReplicas: 0 };
  }

  get desiredReplicas(): number {
    return this.#status.desiredReplicas ?? 0;
  }

  set(type: ConditionType, status: 'True' | 'False', reason: string, message: string): void {
    const conditions = this.#status.conditions ?? [];
    const before = conditions.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(this.#nowMs);
    const next = { type, status, reason, message, ...(lastTransitionTime && { lastTransitionTime }) };
    const isKnown = before !== undefined;
    this.#status = {
      ...this.#status,
      conditions: isKnown ? conditions.map((one) => (one === before ? next : one)) : [...conditions, next],
    } as Status;
  }

  /** Sets the counts. `metrics` is `undefined` when none were evaluated. */
  count(current: number, desired: number, metrics: readonly MetricStatus[] | undefined, isRescaled = false): void {
    const { conditions, lastScaleTime } = this.#status;
    const scaledAt = isRescaled ? formatTime(this.#nowMs) : lastScaleTime;
    this.#status = {
      ...(scaledAt && { lastScaleTime: scaledAt }),
      ...(current !== 0 && { currentReplicas: current }),
      desiredReplicas: desired,
      // The API distinguishes null from an empty list here.
      currentMetrics: metrics === undefined ? null : [...metrics],
      ...(conditions && { conditions }),
    } as unknown as Status;
  }

  async write(client: CachedClient): Promise<void> {
    if (deepEqual(this.#status, this.#autoscaler.status ?? {})) return;
    const next = { ...this.#autoscaler, status: this.#status };
    await client.update(HorizontalPodAutoscaler, next, { subresource: 'status' });
  }
}
