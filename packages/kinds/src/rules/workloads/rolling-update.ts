import { type FieldError, type FieldPath, invalid, notSupported } from '@pintle/machinery/errors';
import { validatePercent } from '@pintle/machinery/names';
import type { IntOrString } from '../../generated/meta/v1.ts';
import { checkNonNegative, problems } from '../common/checks.ts';

/** Update strategy of Deployments and DaemonSets. */
interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString };
}

/** Reports an unsupported strategy. Kubernetes prints its internal type: every field, under its Go name. */
export function unsupportedStrategy(
  { type, rollingUpdate }: Strategy,
  supported: readonly string[],
  path: FieldPath,
): FieldError {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const shown = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return notSupported(path, { Type: type, RollingUpdate: shown }, supported);
}

/** Checks a number of Pods, or a percentage: `25%`. */
export function validateIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return typeof value === 'string' ? problems(path, value, validatePercent(value)) : checkNonNegative(path, value);
}

export function validateAtMostAll(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** True for zero Pods. A text that is not a percentage counts as zero. */
export function isNone(value: IntOrString | undefined): boolean {
  return (percentOf(value) ?? (Number(value ?? 0) || 0)) === 0;
}

function percentOf(value: IntOrString | undefined): number | undefined {
  if (typeof value !== 'string' || validatePercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
