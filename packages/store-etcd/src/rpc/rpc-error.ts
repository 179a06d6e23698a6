import { type ServiceError, status } from '@grpc/grpc-js';

/** Error of a call to etcd. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** gRPC status code. */
  readonly code: status;

  constructor(code: status, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.code = code;
  }

  static of(error: ServiceError, address: string): RpcError {
    return new RpcError(error.code, `${address} answered ${status[error.code]}: ${error.details}`, { cause: error });
  }

  /** True when another member may answer, or this one later. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.code);
  }

  /** True when no response came in time. */
  get isTimeout(): boolean {
    return this.code === status.DEADLINE_EXCEEDED;
  }

  /** True when the requested revision is compacted. */
  get isCompacted(): boolean {
    return this.code === status.OUT_OF_RANGE && this.message.includes('compacted');
  }

  get isNoSpace(): boolean {
    return this.code === status.RESOURCE_EXHAUSTED && this.message.includes('space exceeded');
  }

  get isTooLarge(): boolean {
    return this.code === status.INVALID_ARGUMENT && this.message.includes('too large');
  }

  get isLeaseGone(): boolean {
    return this.code === status.NOT_FOUND && this.message.includes('lease not found');
  }
}

const TRANSIENT: ReadonlySet<status> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
  status.UNKNOWN,
  status.ABORTED,
  status.INTERNAL,
]);
