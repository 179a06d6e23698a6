import { type FieldError, type FieldPath, forbidden, invalid } from '@pintle/machinery/errors';
import { validateLabelKey } from '@pintle/machinery/names';
import type { LabelSelector } from '../../../../../generated/meta/v1.ts';
import { eachItem } from '../../../checks.ts';

/** Keys of the Pod's own labels that narrow a selector, as affinity terms and spread constraints have them. */
interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelector;
}

export function validateMatchLabelKeys(keys: LabelKeys, path: FieldPath): FieldError[] {
  return [
    ...validateKeys(keys.matchLabelKeys, keys.labelSelector, path.child('matchLabelKeys')),
    ...validateKeys(keys.mismatchLabelKeys, keys.labelSelector, path.child('mismatchLabelKeys')),
    ...validateNotSelectedTwice(keys, path),
    ...validateNotBoth(keys, path.child('matchLabelKeys')),
  ];
}

function validateKeys(
  keys: readonly string[] = [],
  selector: LabelSelector | undefined,
  path: FieldPath,
): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  return eachItem(keys, path, validateLabelKey);
}

/** At creation each key is added to the selector as an expression, so a second one was in the selector before. */
function validateNotSelectedTwice({ matchLabelKeys = [], labelSelector }: LabelKeys, path: FieldPath): FieldError[] {
  const seen = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  const positions = new Map(matchLabelKeys.map((key, index) => [key, index]));
  return (labelSelector?.matchExpressions ?? []).flatMap(({ key }) => {
    const position = positions.get(key);
    const isRepeated = seen.has(key);
    seen.add(key);
    if (position === undefined || !isRepeated) return [];
    return [invalid(path.index(position), key, 'exists in both matchLabelKeys and labelSelector')];
  });
}

function validateNotBoth({ matchLabelKeys, mismatchLabelKeys = [] }: LabelKeys, path: FieldPath): FieldError[] {
  const mismatched = new Set(mismatchLabelKeys);
  return eachItem(matchLabelKeys, path, (key, at) =>
    mismatched.has(key) ? [invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys')] : [],
  );
}
