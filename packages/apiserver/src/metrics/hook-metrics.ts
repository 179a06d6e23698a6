import type { Counter, Histogram, MetricsRegistry } from '@pintle/metrics';
import { counter, histogram } from '@pintle/metrics';

/** One call of an admission webhook, with its result. */
export interface HookCall {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
  readonly seconds: number;
  readonly code: number;
  /** Reason why the request was refused; `undefined` when it was not. */
  readonly rejection: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error' | undefined;
}

const CALL_LABELS = ['name', 'type', 'operation'] as const;
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Higher status codes of webhooks are counted as this one. */
const MAX_CODE = 600;

/** Metrics of admission webhooks under Kubernetes' names. Bounded by the number of webhooks that ever existed. */
export class HookMetrics {
  readonly #durations: Histogram<(typeof CALL_LABELS)[number] | 'rejected'>;
  readonly #requests: Counter<(typeof CALL_LABELS)[number] | 'code' | 'rejected'>;
  readonly #rejections: Counter<(typeof CALL_LABELS)[number] | 'error_type' | 'rejection_code'>;
  readonly #failedOpen: Counter<'name' | 'type'>;

  constructor(registry: MetricsRegistry) {
    this.#durations = registry.add(
      histogram(
        'apiserver_admission_webhook_admission_duration_seconds',
        'How long admission webhooks took to answer.',
        [...CALL_LABELS, 'rejected'],
        BOUNDS,
      ),
    );
    this.#requests = registry.add(
      counter('apiserver_admission_webhook_request_total', 'Calls of admission webhooks by how they ended.', [
        ...CALL_LABELS,
        'code',
        'rejected',
      ]),
    );
    this.#rejections = registry.add(
      counter(
        'apiserver_admission_webhook_rejection_count',
        'Requests that admission webhooks refused, or that failed because a webhook did.',
        [...CALL_LABELS, 'error_type', 'rejection_code'],
      ),
    );
    this.#failedOpen = registry.add(
      counter('apiserver_admission_webhook_fail_open_count', 'Requests that went on though a webhook failed.', [
        'name',
        'type',
      ]),
    );
  }

  called({ name, type, operation, seconds, rejection, ...call }: HookCall): void {
    const labels = { name, type, operation };
    const rejected = String(rejection !== undefined);
    const code = String(Math.min(call.code, MAX_CODE));
    this.#durations.of({ ...labels, rejected }).observe(seconds);
    this.#requests.of({ ...labels, code, rejected }).value++;
    if (rejection === undefined) return;
    this.#rejections.of({ ...labels, error_type: rejection, rejection_code: code }).value++;
  }

  failedOpen(name: string, type: HookCall['type']): void {
    this.#failedOpen.of({ name, type }).value++;
  }
}
