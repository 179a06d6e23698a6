import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import { validatePercent } from '@pintle/machinery/names';
import type { IntOrString } from '../../generated/meta/v1.ts';
import { complaints, nonNegative } from '../common/pod-validation/index.ts';

/** A number of Pods, or a part of them: `25%`. */
export function validateIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return typeof value === 'string' ? complaints(path, value, validatePercent(value)) : nonNegative(value, path);
}

export function validateAtMostAll(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** Whether it means none at all. A text that is no percentage means none. */
export function isNone(value: IntOrString | undefined): boolean {
  return (percentOf(value) ?? (Number(value ?? 0) || 0)) === 0;
}

function percentOf(value: IntOrString | undefined): number | undefined {
  if (typeof value !== 'string' || validatePercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
