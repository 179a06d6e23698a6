export { cronJobRules } from './rules.ts';
export { scheduleProblem } from './schedule.ts';
