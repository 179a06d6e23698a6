import type { Status, StatusCause, StatusReason } from './status.ts';

/**
 * The API refused. Servers throw it and clients get it back: what travels between them is `status`, and nothing else
 * about the error is ever shown to a client.
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

  /** A `StatusReason` in nearly all cases; empty when the server gave none. */
  get reason(): string {
    return this.status.reason ?? '';
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  /** How long the server asks to wait before the next try. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** The code that goes with each reason. A client that gets a reason it does not know goes by the code. */
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

/** The StatusError in `error` or in what caused it; `undefined` when the failure did not come from the API. */
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
 * Whether the API refused for this reason. An answer without a known reason counts by its code, except for codes that
 * several reasons share: of those, the code stands for the first.
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
/** The server no longer keeps the history that was asked for: list again and start from there. */
export const isExpired = (error: unknown): boolean => hasReason(error, 'Expired') || hasReason(error, 'Gone');

/** For `catch`: an error that one of these tells is none; every other is thrown again. */
export function ignoring(...isExpected: readonly ((error: unknown) => boolean)[]): (error: unknown) => undefined {
  return (error) => {
    if (!isExpected.some((test) => test(error))) throw error;
  };
}
