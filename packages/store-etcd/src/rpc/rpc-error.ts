import { type ServiceError, status } from '@grpc/grpc-js';

/** Why a call to etcd failed. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** gRPC's number. */
  readonly code: status;

  constructor(code: status, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.code = code;
  }

  static of(error: ServiceError, address: string): RpcError {
    return new RpcError(error.code, `${address} answered ${status[error.code]}: ${error.details}`, { cause: error });
  }

  /** Another member may answer, or this one a little later. */
  get isPassing(): boolean {
    return PASSING.has(this.code);
  }

  /** No answer came in time. */
  get isSilence(): boolean {
    return this.code === status.DEADLINE_EXCEEDED;
  }

  /** The revision that was asked for is not kept. */
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

const PASSING: ReadonlySet<status> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
  status.UNKNOWN,
  status.ABORTED,
  status.INTERNAL,
]);
