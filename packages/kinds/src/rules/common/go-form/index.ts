export { goForm } from './go-form.ts';
export { jsonDiff } from './unified-diff.ts';
