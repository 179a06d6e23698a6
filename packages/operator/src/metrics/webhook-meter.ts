import type { ManagerMetrics } from './manager-metrics.ts';

/** Metrics of one webhook. */
export class WebhookMeter {
  readonly #metrics: ManagerMetrics;
  readonly #path: string;

  constructor(metrics: ManagerMetrics, path: string) {
    this.#metrics = metrics;
    this.#path = path;
    metrics.webhookDurations.cell(path);
    metrics.webhooksInFlight.cell(path);
    for (const code of ['200', '500']) metrics.webhookRequests.cell(path, code);
  }

  started(): void {
    this.#metrics.webhooksInFlight.cell(this.#path).add(1);
  }

  finished(code: number, durationMs: number): void {
    this.#metrics.webhooksInFlight.cell(this.#path).add(-1);
    this.#metrics.webhookRequests.cell(this.#path, `${code}`).add();
    this.#metrics.webhookDurations.cell(this.#path).observe(durationMs / 1_000);
  }
}
