import type { Status } from '@pintle/machinery/errors';
import {
  expiredError,
  internalError,
  requestEntityTooLargeError,
  StatusError,
  serviceUnavailableError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import { asJson } from '@pintle/machinery/json';
import type { StoreFailure } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { Encoding } from './content-negotiation.ts';
import { MEDIA_TYPES, negotiate, wantsPretty } from './content-negotiation.ts';

/** Converts errors to responses; nothing else does. Clients see a plain 500 for internal errors. */
export async function statusResponse(
  error: unknown,
  request?: Pick<ApiRequest, 'headers' | 'query'>,
): Promise<ApiResponse> {
  const status = toStatus(error);
  const form: Form = request === undefined ? 'compact' : formOf(request);
  const headers: Record<string, string> = { 'content-type': MEDIA_TYPES[encodingOf(form)] };
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return { status: status.code ?? 500, headers, body: await print(status, form) };
}

type Form = 'compact' | 'pretty' | 'yaml' | 'protobuf';

function formOf(request: Pick<ApiRequest, 'headers' | 'query'>): Form {
  const found = negotiate(headerOf(request, 'accept'), { encodings: ['json', 'yaml', 'protobuf'], transforms: [] });
  // Without an accepted type, the response is indented for people.
  if ('refused' in found) return 'pretty';
  if (found.encoding !== 'json') return found.encoding;
  return wantsPretty(request, new URLSearchParams(request.query)) ? 'pretty' : 'compact';
}

function encodingOf(form: Form): Encoding {
  return form === 'yaml' || form === 'protobuf' ? form : 'json';
}

async function print(status: Status, form: Form): Promise<Uint8Array> {
  switch (form) {
    case 'compact':
      return Buffer.from(`${JSON.stringify(status)}\n`);
    case 'pretty':
      return Buffer.from(JSON.stringify(status, undefined, 2));
    case 'yaml': {
      const { stringifyYaml } = await import('@pintle/machinery/yaml');
      return Buffer.from(stringifyYaml(asJson(status)));
    }
    case 'protobuf': {
      const { encodeProtobufObject } = await import('./protobuf.ts');
      return encodeProtobufObject(asJson(status));
    }
  }
}

export function toStatus(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  if (error instanceof StoreError) return ofStore(error.failure).status;
  return internalError('the server failed to handle the request').status;
}

/** True when the request does not explain the error, so that the operator of the server should see it. */
export function isUnexpected(error: unknown): boolean {
  if (error instanceof StatusError) return false;
  return !(error instanceof StoreError) || error.failure.code === 'Corrupt' || error.failure.code === 'Unavailable';
}

function ofStore(failure: StoreFailure): StatusError {
  switch (failure.code) {
    case 'Compacted':
      return expiredError('The resourceVersion for the provided list is too old.');
    case 'Future':
    case 'Conflict':
      return internalError('the object moved while it was written');
    case 'TooLarge':
      return requestEntityTooLargeError(`limit is ${failure.maxBytes}`);
    case 'TooManyOperations':
      return requestEntityTooLargeError(`limit is ${failure.maxOperations} writes at once`);
    case 'InvalidKey':
      return unclassifiedError(400, 'the name cannot be stored');
    case 'Corrupt':
      return internalError('the stored object is damaged');
    case 'NoSpace':
      return unclassifiedError(507, 'no space is left on the disk of the server');
    case 'Locked':
    case 'NewerFormat':
    case 'Unavailable':
      return serviceUnavailableError('the store is unavailable');
  }
}
