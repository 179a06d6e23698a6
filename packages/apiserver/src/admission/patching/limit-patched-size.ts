import { requestEntityTooLargeError } from '@pintle/machinery/errors';
import { estimateJsonBytes, type JsonValue, requestLimits } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';

/**
 * Throws 413 when admission makes an object larger than a request may be, before the object is copied or read. Each
 * patch may copy the result of the one before, so that without a limit a few of them make gigabytes.
 */
export function limitPatchedSize({ context }: AdmissionRequest, document: JsonValue): void {
  const { maxBytes } = requestLimits;
  const bytes = estimateJsonBytes(document, maxBytes);
  if (bytes > maxBytes) throw requestEntityTooLargeError(`limit is ${maxBytes}`);
  context.yielding.weigh(bytes);
}
