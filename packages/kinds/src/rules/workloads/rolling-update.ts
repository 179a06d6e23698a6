import { type FieldError, type FieldPath, invalid, notSupported } from '@pintle/machinery/errors';
import { validatePercent } from '@pintle/machinery/names';
import type { IntOrString } from '../../generated/meta/v1.ts';
import { checkNonNegative, problems } from '../common/checks.ts';

/** How Deployments and DaemonSets say at what pace Pods are replaced. */
interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString };
}

/** A way to replace Pods that there is not. Kubernetes shows its inner form: every field, under its name in Go. */
export function unsupportedStrategy(
  { type, rollingUpdate }: Strategy,
  supported: readonly string[],
  path: FieldPath,
): FieldError {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const shown = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return notSupported(path, { Type: type, RollingUpdate: shown }, supported);
}

/** A number of Pods, or a part of them: `25%`. */
export function validateIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return typeof value === 'string' ? problems(path, value, validatePercent(value)) : checkNonNegative(path, value);
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
