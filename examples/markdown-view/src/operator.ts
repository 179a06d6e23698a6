import type { Manager } from '@pintle/operator';
import { addController } from './controller.ts';
import { addMetrics } from './metrics.ts';
import { addWebhooks } from './webhooks.ts';

/** Adds the controller, metrics and webhooks. `hasWebhooks: false` is for clusters that cannot reach the operator. */
export function addMarkdownViews(manager: Manager, { hasWebhooks = true } = {}): void {
  if (hasWebhooks) addWebhooks(manager);
  addController(manager);
  addMetrics(manager);
}
