export type { AdmissionPlugin } from './admission.ts';
export { AdmissionChain } from './admission.ts';
export { withFrozenPast } from './frozen-past.ts';
export { guardParameters } from './policies/guard-parameters.ts';
export { PolicyPlugins } from './policies/policy-plugins.ts';
export type { Asking } from './webhooks/measured.ts';
export { WebhookPlugins } from './webhooks/webhook-plugins.ts';
