export type { OpenEmptyStore } from './describe-store.ts';
export { describeStore } from './describe-store.ts';
