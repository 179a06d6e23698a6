import type { SuccessPolicy } from '@pintle/kinds/batch/v1';
import { IndexSet } from './index-set.ts';

/** Why the job has done enough; `undefined` while it has not. */
export function matchSuccess(
  policy: SuccessPolicy | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  for (const [position, { succeededIndexes, succeededCount }] of (policy?.rules ?? []).entries()) {
    const needed = succeededIndexes === undefined ? undefined : IndexSet.parse(succeededIndexes, completions);
    if (needed?.size === 0) continue;
    const done = needed?.overlap(succeeded) ?? succeeded.size;
    const isAll = done === needed?.size;
    if (isAll || (succeededCount !== undefined && done >= succeededCount)) return `Matched rules at index ${position}`;
  }
  return undefined;
}
