import type { GroupResource } from '../meta/group-version.ts';
import { formatGroupResource } from '../meta/group-version.ts';
import { quote } from './quote.ts';
import type { StatusReason } from './status.ts';
import { statusDetails } from './status.ts';
import { StatusError } from './status-error.ts';

export interface ServerResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly method: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The message of the body, if any. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** The body should have been a Status but was not; it is kept as a cause. */
  readonly isUnexpected?: boolean;
}

/**
 * Returns the error for a response of which only the HTTP code is known, such as that of a proxy: `the server could not
 * find the requested resource (get pods web)`.
 */
export function serverResponseError(response: ServerResponse): StatusError {
  const { reason, message } = describeCode(response);
  const { code, resource, name, retryAfterSeconds, isUnexpected, serverMessage = '' } = response;
  const causes = isUnexpected ? [{ reason: 'UnexpectedServerResponse', message: serverMessage }] : [];
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message + describeRequest(response),
    ...(reason && { reason }),
    details: statusDetails({
      ...(name && { name }),
      ...(resource && { group: resource.group, kind: resource.resource }),
      causes,
      ...(retryAfterSeconds && { retryAfterSeconds }),
    }),
    code,
  });
}

function describeCode(response: ServerResponse): { readonly reason?: StatusReason; readonly message: string } {
  const { code, method, serverMessage = '' } = response;
  switch (code) {
    case 400:
      return { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' };
    case 401:
      return { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' };
    case 403:
      return { reason: 'Forbidden', message: serverMessage };
    case 404:
      return { reason: 'NotFound', message: 'the server could not find the requested resource' };
    case 405:
      return {
        reason: 'MethodNotAllowed',
        message: 'the server does not allow this method on the requested resource',
      };
    case 406:
      return { reason: 'NotAcceptable', message: describeNotAcceptable(serverMessage) };
    case 409:
      return { reason: method === 'POST' ? 'AlreadyExists' : 'Conflict', message: 'the server reported a conflict' };
    case 415:
      return { reason: 'UnsupportedMediaType', message: serverMessage };
    case 422:
      return { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' };
    case 429:
      return {
        reason: 'TooManyRequests',
        message: 'the server has received too many requests and has asked us to try again later',
      };
    case 503:
      return { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' };
    case 504:
      return {
        reason: 'Timeout',
        message:
          'the server was unable to return a response in the time allotted, but may still be processing the request',
      };
    default:
      return code >= 500
        ? {
            reason: 'InternalError',
            message: `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`,
          }
        : { message: `the server responded with the status code ${code} but did not return more information` };
  }
}

function describeNotAcceptable(serverMessage: string): string {
  return serverMessage === '' || serverMessage === 'unknown'
    ? 'the server was unable to respond with a content type that the client supports'
    : serverMessage;
}

function describeRequest({ method, resource, name }: ServerResponse): string {
  if (resource === undefined) return '';
  const subject = `${method.toLowerCase()} ${formatGroupResource(resource)}`;
  return name ? ` (${subject} ${name})` : ` (${subject})`;
}
