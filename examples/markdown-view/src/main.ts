import { Manager } from '@pintle/operator';
import { addMarkdownViews } from './operator.ts';

const {
  POD_NAMESPACE,
  WEBHOOKS = 'on',
  WEBHOOK_PORT = '9443',
  HEALTH_PORT = '8081',
  METRICS_PORT = '8080',
} = process.env;

const manager = new Manager({
  leaderElection: 'markdown-view',
  health: { port: Number(HEALTH_PORT) },
  metrics: { port: Number(METRICS_PORT) },
  webhooks: {
    port: Number(WEBHOOK_PORT),
    // In a pod, the API server reaches the webhooks through a Service; on your machine, directly.
    ...(POD_NAMESPACE && { service: { namespace: POD_NAMESPACE, name: 'markdown-view-webhooks' } }),
  },
});
addMarkdownViews(manager, { hasWebhooks: WEBHOOKS !== 'off' });
await manager.run();
