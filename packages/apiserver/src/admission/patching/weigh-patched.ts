import { requestEntityTooLargeError } from '@pintle/machinery/errors';
import { type JsonValue, requestLimits, weighJson } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';

/**
 * Throws 413 where admission makes more of an object than a request may send, before the object is copied or read. Each
 * patch may copy what the one before it left, so without that a few of them make gigabytes.
 */
export function weighPatched({ call }: AdmissionRequest, document: JsonValue): void {
  const { maxBytes } = requestLimits;
  const bytes = weighJson(document, maxBytes);
  if (bytes > maxBytes) throw requestEntityTooLargeError(`limit is ${maxBytes}`);
  call.yielding.weigh(bytes);
}
