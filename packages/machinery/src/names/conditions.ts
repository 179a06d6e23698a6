import type { FieldError } from '../errors/field-error.ts';
import { duplicate, invalid, notSupported, required, tooLong } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { byteLength, Pattern, patternMessage } from './messages.ts';
import { validateLabelKey } from './object-meta.ts';

/** The fields of `meta/v1 Condition` that are validated. */
export interface ConditionFields {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const conditionReason = new Pattern('[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?');
const reasonMaxBytes = 1024;
const messageMaxBytes = 32 * 1024;

/** Checks a list of `meta/v1` conditions: each must be complete and well formed, and no type may occur twice. */
export function validateConditions(conditions: readonly ConditionFields[] | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, index) => {
    const type = condition.type ?? '';
    const repeated = seen.has(type) ? [duplicate(path.index(index).child('type'), type)] : [];
    seen.add(type);
    return [...repeated, ...validateCondition(condition, path.index(index))];
  });
}

export function validateCondition(condition: ConditionFields, path: FieldPath): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, message = '' } = condition;
  const errors = validateLabelKey(type, path.child('type'));
  if (!['True', 'False', 'Unknown'].includes(status))
    errors.push(notSupported(path.child('status'), status, ['False', 'True', 'Unknown']));
  if (observedGeneration < 0)
    errors.push(invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'));
  if (!condition.lastTransitionTime) errors.push(required(path.child('lastTransitionTime')));
  errors.push(...reasonErrors(condition.reason ?? '', path.child('reason')));
  if (byteLength(message) > messageMaxBytes) errors.push(tooLong(path.child('message'), messageMaxBytes));
  return errors;
}

function reasonErrors(reason: string, path: FieldPath): FieldError[] {
  if (reason === '') return [required(path)];
  const errors = conditionReason.matches(reason) ? [] : [invalid(path, reason, reasonMessage)];
  return byteLength(reason) > reasonMaxBytes ? [...errors, tooLong(path, reasonMaxBytes)] : errors;
}

const reasonMessage = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  conditionReason.source,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
