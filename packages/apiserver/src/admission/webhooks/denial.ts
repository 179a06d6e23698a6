import type { Status, StatusDetails } from '@pintle/machinery/errors';
import { StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';

const BAD_REQUEST = 400;
/** The highest status code of HTTP. */
const LAST_CODE = 599;

/** Returns the error for a denied request: the webhook's message behind its name. */
export function denialError(hook: string, response: JsonObject = {}): StatusError {
  const { code, reason, message, details, metadata } = response;
  const why = message || reason;
  const deniedBy = `admission webhook ${JSON.stringify(hook)} denied the request`;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isJsonObject(metadata ?? null) ? (metadata as object) : {},
    status: 'Failure',
    message: why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(isJsonObject(details ?? null) && { details: details as StatusDetails }),
    code: isRefusal(code) ? code : BAD_REQUEST,
  };
  return new StatusError(status);
}

function isRefusal(code: JsonValue | undefined): code is number {
  return Number.isInteger(code) && (code as number) >= BAD_REQUEST && (code as number) <= LAST_CODE;
}
