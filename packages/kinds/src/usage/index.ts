export type { Amounts } from './amounts.ts';
export { addAmounts, formatAmounts, readAmounts, subtractAmounts } from './amounts.ts';
export { podAmounts } from './pod-amounts.ts';
export type { CountedResource } from './quota-usage.ts';
export { countedBy, isInScope, missingForQuota, quotaUsage } from './quota-usage.ts';
