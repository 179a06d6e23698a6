export { WebhookConverter } from '../webhook-converter.ts';
