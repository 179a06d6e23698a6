import { type FieldError, type FieldPath, notSupported } from '@pintle/machinery/errors';
import type { IntOrString } from '../../generated/meta/v1.ts';

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
