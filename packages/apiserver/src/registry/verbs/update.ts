import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { negotiateResponse, writtenResponse } from '../response/response.ts';
import { changeObject } from '../write/object-write.ts';
import { readReplacement } from '../write/replacement.ts';

/** Replaces an object; for some kinds, creates a missing one. */
export async function update(context: RequestContext): Promise<ApiResponse> {
  const options = readWriteOptions(context.query, 'UpdateOptions');
  const form = negotiateResponse(context);
  const change = await readReplacement(context, options);
  const written = await changeObject(context, options, change);
  return await writtenResponse(context, form, written.isNew ? 201 : 200, written);
}
