export { clusterServices } from './cluster-services.ts';
export type { RawWebhookResponse, ResponseKind } from './read-response.ts';
export type { WebhookCall, WebhookInterceptor, WebhookRequest } from './webhook-client.ts';
export { WebhookClient } from './webhook-client.ts';
export type { WebhookFailure } from './webhook-error.ts';
export { WebhookError } from './webhook-error.ts';
export type { WebhookClientConfig } from './webhook-target.ts';
