import type { Manager } from '@pintle/operator';
import { addController } from './controller.ts';
import { addMetrics } from './metrics.ts';
import { addWebhooks } from './webhooks.ts';

/** Everything there is to this operator. A cluster that cannot reach it does without its webhooks. */
export function addMarkdownViews(manager: Manager, { hasWebhooks = true } = {}): void {
  if (hasWebhooks) addWebhooks(manager);
  addController(manager);
  addMetrics(manager);
}
