export type { Amounts } from './amounts.ts';
export { addAmounts, formatAmounts, podAmounts, readAmounts, subtractAmounts } from './amounts.ts';
export type { CountedResource } from './quota-usage.ts';
export { countedBy, isInScope, missingForQuota, quotaUsage } from './quota-usage.ts';
