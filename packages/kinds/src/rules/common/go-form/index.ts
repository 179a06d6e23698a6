export { goForm } from './go-form.ts';
export { diffBudget, jsonDiff } from './unified-diff.ts';
