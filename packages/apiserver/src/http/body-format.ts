import { unsupportedMediaTypeError } from '@pintle/machinery/errors';
import type { ApiRequest } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { Encoding } from './content-negotiation.ts';
import { MEDIA_TYPES } from './content-negotiation.ts';
import { parseMediaType } from './media-type.ts';

/** How the body is written. Without a content type it is JSON; a type that is not accepted is a 415. */
export function bodyFormat(request: ApiRequest, accepted: readonly Encoding[]): Encoding {
  const header = headerOf(request, 'content-type');
  if (header === undefined || header.trim() === '') return 'json';
  const type = header === MEDIA_TYPES.json ? header : parseMediaType(header)?.type;
  const format = accepted.find((candidate) => MEDIA_TYPES[candidate] === type);
  if (format === undefined) {
    throw unsupportedMediaTypeError(accepted.map((candidate) => MEDIA_TYPES[candidate]));
  }
  return format;
}
