export { type AnyAutoscaler, toVersion1, toVersion2 } from './convert.ts';
export { horizontalPodAutoscalerRules } from './rules.ts';
