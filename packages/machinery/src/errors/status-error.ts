import type { Status, StatusCause, StatusReason } from './status.ts';

/**
 * Thrown when the API refuses a request. Servers throw it and clients receive it: only `status` travels between them,
 * and nothing else about the error is shown to a client.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
  }

  /** The HTTP status code. */
  get code(): number {
    return this.status.code ?? 500;
  }

  /** A `StatusReason` in nearly all cases; empty when the server sent none. */
  get reason(): string {
    return this.status.reason ?? '';
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  /** Seconds that the server asks clients to wait before a retry. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** The HTTP code of each reason. A client that does not know a reason uses the code. */
export const codeOfReason: Readonly<Record<StatusReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  StorageReadError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** Returns the StatusError in `error` or its causes; `undefined` when the failure did not come from the API. */
export function statusErrorOf(error: unknown): StatusError | undefined {
  let current = error;
  for (let depth = 0; depth < 16; depth++) {
    if (current instanceof StatusError) return current;
    if (!(current instanceof Error)) return undefined;
    current = current.cause;
  }
  return undefined;
}

/**
 * True when the API refused for this reason. A response without a known reason counts by its code; a code that several
 * reasons share stands for the first of them.
 */
export function hasReason(error: unknown, reason: StatusReason): boolean {
  const found = statusErrorOf(error);
  if (found === undefined) return false;
  if (found.reason === reason) return true;
  return !Object.hasOwn(codeOfReason, found.reason) && found.code === codeOfReason[reason] && !sharesCode.has(reason);
}

const sharesCode: ReadonlySet<StatusReason> = new Set([
  'AlreadyExists',
  'Expired',
  'ServerTimeout',
  'StorageReadError',
]);

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
/** The object changed since it was read, or another field manager owns what was applied. */
export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');
export const isUnauthorized = (error: unknown): boolean => hasReason(error, 'Unauthorized');
export const isTooManyRequests = (error: unknown): boolean => hasReason(error, 'TooManyRequests');
export const isTimeout = (error: unknown): boolean => hasReason(error, 'Timeout');
/** The server no longer has the requested history: list again and start from there. */
export const isExpired = (error: unknown): boolean => hasReason(error, 'Expired') || hasReason(error, 'Gone');

/** For `catch`: returns `undefined` for errors that one of the tests accepts, and throws all others again. */
export function ignoring(...isExpected: readonly ((error: unknown) => boolean)[]): (error: unknown) => undefined {
  return (error) => {
    if (!isExpected.some((test) => test(error))) throw error;
  };
}
