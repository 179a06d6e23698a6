export { jobRules } from './rules.ts';
export { validateJobTemplateSpec } from './spec.ts';
export { jobSpecWarnings } from './warnings.ts';
