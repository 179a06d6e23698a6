import { type FieldError, type FieldPath, forbidden, invalid, notSupported } from '@pintle/machinery/errors';
import { validateLabelKey, validateLabelValue } from '@pintle/machinery/names';
import type { Toleration } from '../../../../../generated/core/v1.ts';
import { checkOptionalChoice, eachItem, isEmpty } from '../../../checks.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly Toleration[] | undefined, path: FieldPath): FieldError[] {
  return eachItem(tolerations, path, validateToleration);
}

/** Tolerations may be added to a running Pod; of existing ones only the seconds may change. */
export function validateTolerationsUpdate(
  next: readonly Toleration[] = [],
  previous: readonly Toleration[] = [],
  path: FieldPath,
): FieldError[] {
  const kept = new Set(next.map(withoutSeconds));
  if (!previous.every((old) => kept.has(withoutSeconds(old))))
    return [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(next, path);
}

function validateToleration(toleration: Toleration, path: FieldPath): FieldError[] {
  const { key, operator, effect, tolerationSeconds } = toleration;
  const errors = isEmpty(key) ? [] : validateLabelKey(key, path.child('key'));
  if (isEmpty(key) && operator !== 'Exists')
    errors.push(
      invalid(
        path.child('operator'),
        operator ?? '',
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(
      invalid(path.child('effect'), effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    );
  return [
    ...errors,
    ...validateOperator(toleration, path.child('operator')),
    ...validateEffect(effect, path.child('effect')),
  ];
}

function validateOperator({ operator, value = '' }: Toleration, path: FieldPath): FieldError[] {
  switch (operator as string | undefined) {
    case undefined:
    case '':
    case 'Equal': {
      const problems = validateLabelValue(value);
      return problems.length === 0 ? [] : [invalid(path, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

function validateEffect(effect: string | undefined, path: FieldPath): FieldError[] {
  return isEmpty(effect) ? [] : checkOptionalChoice(path, effect, effects);
}

/** Returns a text that is equal for tolerations that differ only in their seconds. */
function withoutSeconds({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}
