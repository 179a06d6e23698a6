export type { AdmissionPlugin } from './admission.ts';
export { AdmissionChain } from './admission.ts';
export { guardParameters } from './policies/guard-parameters.ts';
export { PolicyPlugins } from './policies/policy-plugins.ts';
export { withReadOnlyOldObject } from './read-only-old-object.ts';
export type { WebhookDependencies } from './webhooks/measured.ts';
export { WebhookPlugins } from './webhooks/webhook-plugins.ts';
