import { FieldPath } from '@pintle/machinery/errors';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { LabelSelector } from '../../generated/meta/v1.ts';
import { sortedEntries } from './checks.ts';
import { goForm } from './go-form/go-form.ts';

/** A selector as objects contain it: `null` where Go has a pointer that is always written. */
export type MaybeSelector = LabelSelector | null | undefined;

/** True for a selector that cannot be compiled. */
export function isBrokenSelector(selector: MaybeSelector): boolean {
  return validateLabelSelector(selector, FieldPath.of('selector')).length > 0;
}

export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

/** Returns the selector with its keys in the order in which Go prints them in an error. */
export function shownSelector(selector: MaybeSelector): MaybeSelector {
  return selector && (goForm(selector, 'j') as unknown as LabelSelector);
}

/** `a=b,c=d`, or `<none>` */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = sortedEntries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.join(',') || '<none>';
}
