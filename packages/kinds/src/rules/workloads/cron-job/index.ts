export { cronJobRules } from './rules.ts';
