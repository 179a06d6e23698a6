import { formatGroupKind, formatGroupResource, type GroupKind, type GroupResource } from '../meta/group-version.ts';
import { describeFieldError, type FieldError, MAX_FIELD_ERRORS } from './field-error.ts';
import { quote, shorten } from './quote.ts';
import { type StatusCause, type StatusDetails, type StatusReason, statusDetails } from './status.ts';
import { codeOfReason, StatusError, statusErrorOf } from './status-error.ts';

/** `pods "web" not found` */
export function notFoundError(resource: GroupResource, name: string): StatusError {
  return about(resource, name, 'NotFound', `${named(resource, name)} not found`);
}

/** `pods "web" already exists` */
export function alreadyExistsError(resource: GroupResource, name: string): StatusError {
  return about(resource, name, 'AlreadyExists', `${named(resource, name)} already exists`);
}

/** Every name generated from `generateName` was taken; a retry generates others. */
export function generateNameConflictError(resource: GroupResource, name: string, retryAfterSeconds = 1): StatusError {
  const message = `${named(resource, name)} already exists, the server was not able to generate a unique name for the object`;
  return about(resource, name, 'AlreadyExists', message, { retryAfterSeconds });
}

/** `Operation cannot be fulfilled on pods "web": the object has been modified; please apply …` */
export function conflictError(resource: GroupResource, name: string, why: string): StatusError {
  return about(resource, name, 'Conflict', `Operation cannot be fulfilled on ${named(resource, name)}: ${why}`);
}

/** Cause of a Conflict when another process owns the shard of the writer. */
const SHARD_FENCED = 'ShardFenced';

/** The write was sent with the epoch of a shard that another process owns by now. A retry does not help. */
export function shardFencedError(resource: GroupResource, name: string): StatusError {
  const message = 'the shard of the writer has another owner or epoch';
  const { status } = conflictError(resource, name, message);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: SHARD_FENCED, message }] } });
}

export function isShardFenced(error: unknown): boolean {
  return statusErrorOf(error)?.causes.some(({ reason }) => reason === SHARD_FENCED) ?? false;
}

/** Other field managers own fields that were applied; `message` lists them. */
export function applyConflictError(message: string, causes: readonly StatusCause[]): StatusError {
  return failure('Conflict', message, { causes });
}

/** `pods "web" is forbidden: …`; without a name about the whole resource, without a resource about the request. */
export function forbiddenError(resource: GroupResource | undefined, name: string, why: string): StatusError {
  const subject = resource && (name === '' ? `${formatGroupResource(resource)} is ` : `${named(resource, name)} is `);
  const details = { name, ...(resource && { group: resource.group, kind: resource.resource }) };
  return failure('Forbidden', `${subject ?? ''}forbidden: ${why}`, details);
}

/**
 * `Pod "web" is invalid: spec.containers: Required value`; several errors are in brackets. Every error becomes a cause,
 * duplicates included, but the message has each text once. Of very many errors only the first are included.
 */
export function invalidError(kind: GroupKind, name: string, found: readonly FieldError[]): StatusError {
  const subject = `${formatGroupKind(kind)} ${quote(name)} is invalid`;
  const errors = firstOf(found);
  const message = errors.length === 0 ? subject : `${subject}: ${describeFieldErrors(errors)}`;
  const causes = errors.map(({ reason, body, field }) => ({
    reason,
    message: body,
    ...(field === '' ? {} : { field }),
  }));
  return failure('Invalid', message, { name, group: kind.group, kind: kind.kind, causes });
}

/** Most characters of all errors of one object. */
const MAX_TEXT = 1024 * 1024;

function firstOf(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0;
  let count = 0;
  for (const { field, body } of errors) {
    length += field.length + body.length;
    if (count >= MAX_FIELD_ERRORS || (count > 0 && length > MAX_TEXT)) break;
    count++;
  }
  return count === errors.length ? errors : errors.slice(0, count);
}

/** Returns one error plainly, several as `[a, b]`, without duplicates. */
export function describeFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(describeFieldError))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}

export function badRequestError(message: string): StatusError {
  return failure('BadRequest', message);
}

export function unauthorizedError(message = 'Unauthorized'): StatusError {
  return failure('Unauthorized', message);
}

/** `create is not supported on resources of kind "things.example.com"` */
export function methodNotSupportedError(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quote(formatGroupResource(resource))}`;
  return about(resource, '', 'MethodNotAllowed', message);
}

export function notAcceptableError(accepted: readonly string[]): StatusError {
  return failure('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

export function unsupportedMediaTypeError(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  return failure(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${list}`,
  );
}

export function requestEntityTooLargeError(message: string): StatusError {
  return failure('RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function goneError(message: string): StatusError {
  return failure('Gone', message);
}

/** The requested history is no longer kept. `continueToken` lets a paged list continue from a newer snapshot. */
export function expiredError(message: string, options: { readonly continueToken?: string } = {}): StatusError {
  const { status } = failure('Expired', message);
  const metadata = options.continueToken === undefined ? {} : { continue: options.continueToken };
  return new StatusError({ ...status, metadata });
}

export function tooManyRequestsError(
  message: string,
  details: Pick<StatusDetails, 'causes' | 'retryAfterSeconds'> = {},
): StatusError {
  return failure('TooManyRequests', message, details);
}

/** The request timed out and may still take effect. */
export function timeoutError(
  message: string,
  details: Pick<StatusDetails, 'causes' | 'retryAfterSeconds'> = {},
): StatusError {
  return failure('Timeout', `Timeout: ${message}`, details);
}

/** The action cannot be completed at the moment. */
export function serverTimeoutError(resource: GroupResource, action: string, retryAfterSeconds = 0): StatusError {
  const message = `The ${action} operation against ${formatGroupResource(resource)} could not be completed at this time, please try again.`;
  return about(resource, action, 'ServerTimeout', message, { retryAfterSeconds });
}

/** `Internal error occurred: …`. The client sees `why`. */
export function internalError(why: string, options?: ErrorOptions): StatusError {
  const { status } = failure('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
  return new StatusError(status, options);
}

export function serviceUnavailableError(message: string): StatusError {
  return failure('ServiceUnavailable', message);
}

/** Returns an error with a code and a message but without a reason, as Kubernetes sends where its code sets none. */
export function unclassifiedError(code: number, message: string, options?: ErrorOptions): StatusError {
  const shown = shorten(message, MAX_MESSAGE);
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: shown, code } as const;
  return new StatusError(status, options);
}

function about(
  { group, resource }: GroupResource,
  name: string,
  reason: StatusReason,
  message: string,
  more: StatusDetails = {},
): StatusError {
  return failure(reason, message, { name, group, kind: resource, ...more });
}

/** Most characters of a message that lists every error of an object, each of which is short. */
const MAX_MESSAGE = 2 * MAX_TEXT;

function failure(reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: shorten(message, MAX_MESSAGE),
    reason,
    ...(details && { details: statusDetails(details) }),
    code: codeOfReason[reason],
  });
}

function named(resource: GroupResource, name: string): string {
  return `${formatGroupResource(resource)} ${quote(name)}`;
}
