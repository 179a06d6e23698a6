export type { ListenOptions, User } from './backend/backend.ts';
export type { Environment } from './backend/environment.ts';
export type { PlaneClock, Stepped, SteppedOptions } from './clock/plane-clock.ts';
export { stepped } from './clock/plane-clock.ts';
export type { Duration } from './duration.ts';
export type { EtcdSnapshotOptions } from './etcd-snapshot.ts';
export { etcdSnapshot } from './etcd-snapshot.ts';
export type { Exchange, Fault } from './faults/fault.ts';
export {
  conflict,
  delay,
  expired,
  failAfterEffect,
  loseAnswer,
  refuse,
  serverError,
  timeout,
  tooManyRequests,
  unavailable,
  unreachable,
} from './faults/fault.ts';
export type { Faults, Injection, InjectOptions } from './faults/faults.ts';
export type { Watches } from './intercept/watches.ts';
export type {
  AnyObject,
  ControlPlaneOptions,
  Definition,
  DeployOptions,
  OperatorOptions,
  PlaneManagerOptions,
  PlaneSnapshot,
  UserOptions,
  WebhookHandlers,
} from './options.ts';
export type { ControlPlane, Expected } from './plane/control-plane.ts';
export type { Operator, Setup } from './plane/operator.ts';
export type { Permission, PolicyRule } from './requests/permissions.ts';
export type { RequestFacts } from './requests/request-facts.ts';
export type { RequestEntry, RequestFilter, RequestLog } from './requests/request-log.ts';
export { startControlPlane } from './start-control-plane.ts';
export type { Difference } from './wait/diff.ts';
export { describeDifferences, differences } from './wait/diff.ts';
export type { EventuallyOptions, IdleOptions } from './wait/waiter.ts';
