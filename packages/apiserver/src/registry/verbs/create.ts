import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { clearSystemMetadata } from '../../resource/object-metadata.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { negotiateResponse, writtenResponse } from '../response/response.ts';
import { createObject } from '../write/object-write.ts';
import { setNamespace } from '../write/prepare.ts';
import { decodeBody } from '../write/read-body.ts';

export async function create(context: RequestContext): Promise<ApiResponse> {
  const options = readWriteOptions(context.query, 'CreateOptions');
  const form = negotiateResponse(context);
  const desired = await decodeBody(context, options.fieldValidation);
  setNamespace(context, desired.object);
  clearSystemMetadata(desired.object.metadata);
  const written = await createObject(context, options, desired, { isPosted: true });
  return await writtenResponse(context, form, 201, written);
}
