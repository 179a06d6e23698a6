import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { validateHttpHeaderName } from '@pintle/machinery/names';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, PodSpec, Probe } from '../../../../../generated/core/v1.ts';
import { checkRequired, nonNegativeFields, problems } from '../../../checks.ts';
import { validatePortReference } from './ports.ts';

type Handler = Probe & LifecycleHandler;

const numbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** Liveness and startup probes must have a successThreshold of 1. */
export function validateLivenessProbe(probe: Probe | undefined, path: FieldPath): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, path);
  if (probe.successThreshold !== 1)
    errors.push(invalid(path.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'));
  return errors;
}

export function validateReadinessProbe(probe: Probe | undefined, path: FieldPath): FieldError[] {
  if (probe === undefined) return [];
  const { terminationGracePeriodSeconds: grace } = probe;
  const errors = validateProbe(probe, path);
  if (grace !== undefined)
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes'));
  return errors;
}

export function validateLifecycle(lifecycle: Lifecycle | undefined, spec: PodSpec, path: FieldPath): FieldError[] {
  if (lifecycle === undefined) return [];
  const { postStart, preStop } = lifecycle;
  const grace = spec.terminationGracePeriodSeconds;
  return [
    ...(postStart ? validateHandler(postStart, path.child('postStart'), grace) : []),
    ...(preStop ? validateHandler(preStop, path.child('preStop'), grace) : []),
  ];
}

function validateProbe(probe: Probe, path: FieldPath): FieldError[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  const errors = [...validateHandler(probe, path), ...nonNegativeFields(probe, numbers, path)];
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
  return errors;
}

/** Requires exactly one handler; checks the first and refuses any other. */
function validateHandler(handler: Handler, path: FieldPath, graceSeconds?: number): FieldError[] {
  const kinds = (['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const).filter(
    (kind) => handler[kind] !== undefined,
  );
  const [first, ...others] = kinds;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(first, handler, path.child(first), graceSeconds),
    ...others.map((kind) => forbidden(path.child(kind), 'may not specify more than 1 handler type')),
  ];
}

function validateAction(
  kind: 'exec' | 'httpGet' | 'tcpSocket' | 'grpc' | 'sleep',
  handler: Handler,
  path: FieldPath,
  graceSeconds: number | undefined,
): FieldError[] {
  switch (kind) {
    case 'exec':
      return (handler.exec?.command ?? []).length > 0 ? [] : [required(path.child('command'))];
    case 'httpGet':
      return validateHttpGet(handler.httpGet!, path);
    case 'tcpSocket':
      return validatePortReference(handler.tcpSocket?.port, path.child('port'));
    case 'grpc':
      return validatePortReference(handler.grpc?.port, path.child('port'));
    case 'sleep':
      return validateSleep(handler.sleep?.seconds ?? 0, path, graceSeconds);
  }
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  const { scheme = '' } = action as { scheme?: string };
  return [
    ...checkRequired(path.child('path'), action.path),
    ...validatePortReference(action.port, path.child('port')),
    ...(['HTTP', 'HTTPS'].includes(scheme) ? [] : [notSupported(path.child('scheme'), scheme, ['HTTP', 'HTTPS'])]),
    ...(action.httpHeaders ?? []).flatMap(({ name }) =>
      problems(path.child('httpHeaders'), name, validateHttpHeaderName(name)),
    ),
  ];
}

function validateSleep(seconds: number, path: FieldPath, graceSeconds: number | undefined): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)];
}
