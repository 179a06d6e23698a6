export { errorText } from './error-text.ts';
export type { FieldError, FieldErrorReason } from './field-error.ts';
export {
  addErrors,
  describeFieldError,
  duplicate,
  firstWholeListErrors,
  forbidden,
  internal,
  invalid,
  MAX_FIELD_ERRORS,
  notFound,
  notSupported,
  omitValue,
  required,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  typeInvalid,
} from './field-error.ts';
export { FieldPath } from './field-path.ts';
export { formatJson, formatSortedJson, formatValue, sortedMap } from './format-value.ts';
export type { ParseSubject } from './parse-error.ts';
export { ParseError } from './parse-error.ts';
export { isPrintable, namedEscapes, quote, quoteWhole, shorten } from './quote.ts';
export type { ServerResponse } from './server-response-error.ts';
export { serverResponseError } from './server-response-error.ts';
export type { Status, StatusCause, StatusDetails, StatusReason } from './status.ts';
export { isStatus, statusDetails } from './status.ts';
export {
  codeOfReason,
  hasReason,
  ignoring,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  StatusError,
  statusErrorOf,
} from './status-error.ts';
export {
  alreadyExistsError,
  applyConflictError,
  badRequestError,
  conflictError,
  describeFieldErrors,
  expiredError,
  forbiddenError,
  generateNameConflictError,
  goneError,
  internalError,
  invalidError,
  isShardFenced,
  methodNotSupportedError,
  notAcceptableError,
  notFoundError,
  requestEntityTooLargeError,
  serverTimeoutError,
  serviceUnavailableError,
  shardFencedError,
  timeoutError,
  tooManyRequestsError,
  unauthorizedError,
  unclassifiedError,
  unsupportedMediaTypeError,
} from './status-errors.ts';
