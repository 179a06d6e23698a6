import type { HookMetrics } from '../../metrics/hook-metrics.ts';
import type { WebhookClient } from '../../webhook/index.ts';

/** What it takes to ask webhooks. */
export interface Asking {
  readonly client: WebhookClient;
  readonly metrics: HookMetrics;
}
