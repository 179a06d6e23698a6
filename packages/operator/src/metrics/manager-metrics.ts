import type { WorkQueue } from '@pintle/client';
import { counter, Family, gauge, histogram } from '@pintle/metrics';
import type { ControllerOptions } from '../controller/controller.ts';
import type { Request } from '../controller/request.ts';
import { ControllerMeter } from './controller-meter.ts';
import { WebhookMeter } from './webhook-meter.ts';

/** Bucket bounds in seconds, as in controller-runtime. */
const RECONCILE_BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_BOUNDS = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
const WEBHOOK_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of a manager, with the names of controller-runtime, which its dashboards and alerts use. */
export class ManagerMetrics {
  readonly reconciles = counter('controller_runtime_reconcile_total', 'Reconciles by how they ended', [
    'controller',
    'result',
  ]);
  readonly errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed', ['controller']);
  readonly terminalErrors = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that failed and are not tried again',
    ['controller'],
  );
  readonly panics = counter('controller_runtime_reconcile_panics_total', 'Reconciles that broke', ['controller']);
  readonly durations = histogram(
    'controller_runtime_reconcile_time_seconds',
    'How long reconciles took',
    ['controller'],
    RECONCILE_BOUNDS,
  );
  readonly maxConcurrent = gauge(
    'controller_runtime_max_concurrent_reconciles',
    'How many reconciles may run at a time',
    ['controller'],
  );
  readonly activeWorkers = gauge('controller_runtime_active_workers', 'How many reconciles are running', [
    'controller',
  ]);
  readonly depth = gauge('workqueue_depth', 'Requests that are ready to be worked on', [
    'name',
    'controller',
    'priority',
  ]);
  readonly adds = counter('workqueue_adds_total', 'Requests added', ['name', 'controller']);
  readonly waits = histogram(
    'workqueue_queue_duration_seconds',
    'How long requests waited to be worked on',
    ['name', 'controller'],
    QUEUE_BOUNDS,
  );
  readonly works = histogram(
    'workqueue_work_duration_seconds',
    'How long requests were worked on',
    ['name', 'controller'],
    QUEUE_BOUNDS,
  );
  readonly unfinished = gauge('workqueue_unfinished_work_seconds', 'How long what is worked on has taken, together', [
    'name',
    'controller',
  ]);
  readonly longest = gauge(
    'workqueue_longest_running_processor_seconds',
    'How long the longest of what is worked on has taken',
    ['name', 'controller'],
  );
  readonly retries = counter('workqueue_retries_total', 'Requests that came again because they failed', [
    'name',
    'controller',
  ]);
  readonly requests = counter('rest_client_requests_total', 'Requests to the API by status, method and host', [
    'code',
    'method',
    'host',
  ]);
  readonly leading = gauge('leader_election_master_status', 'Whether this process leads: 1, or 0', ['name']);
  readonly webhookRequests = counter('controller_runtime_webhook_requests_total', 'Webhook requests by status', [
    'webhook',
    'code',
  ]);
  readonly webhookDurations = histogram(
    'controller_runtime_webhook_latency_seconds',
    'How long webhooks took to answer',
    ['webhook'],
    WEBHOOK_BOUNDS,
  );
  readonly webhooksInFlight = gauge(
    'controller_runtime_webhook_requests_in_flight',
    'Webhook requests that are being answered',
    ['webhook'],
  );

  readonly #controllers: ControllerMeter[] = [];
  readonly #added: Family[] = [];
  #around: Around | undefined;

  get families(): readonly Family[] {
    const own = Object.values(this).filter((value): value is Family => value instanceof Family);
    return [...own, ...this.#added];
  }

  /** Adds a metric of the operator. */
  add(family: Family): void {
    this.#added.push(family);
  }

  /** Creates the metrics of a controller, at zero. */
  controller(options: ControllerOptions): ControllerMeter {
    const meter = new ControllerMeter(this, options);
    this.#controllers.push(meter);
    if (this.#around) meter.surround(this.#around);
    return meter;
  }

  /** Reads the metrics of a queue at each scrape. */
  watchQueue(name: string, queue: WorkQueue<Request>): void {
    this.depth.cell(name, name, '').read = () => queue.size;
    this.longest.cell(name, name).read = () => queue.stats().longestActiveMs / 1_000;
    this.unfinished.cell(name, name).read = () => queue.stats().activeMs / 1_000;
  }

  /** Creates the metrics of a webhook, at zero. */
  webhook(path: string): WebhookMeter {
    return new WebhookMeter(this, path);
  }

  /** Wraps every reconcile of every controller in `around` from now on. */
  surround(around: Around): void {
    this.#around = around;
    for (const meter of this.#controllers) meter.surround(around);
  }
}

/** Wraps a reconcile, for example in a span. */
export type Around = <R>(controller: string, request: Request, reconcile: () => Promise<R>) => Promise<R>;
