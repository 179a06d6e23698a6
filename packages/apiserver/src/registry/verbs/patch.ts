import { forbidden } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { negotiateResponse, writtenResponse } from '../response/response.ts';
import { changeObject } from '../write/object-write.ts';
import { readPatchChange } from '../write/patch-change.ts';

/** Patches an object with a JSON, merge or strategic merge patch, as the media type `type` says. */
export async function patch(context: RequestContext, type: string): Promise<ApiResponse> {
  const forced = context.query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : [];
  const options = readWriteOptions(context.query, 'PatchOptions', forced);
  const form = negotiateResponse(context);
  const change = await readPatchChange(context, type, options);
  const written = await changeObject(context, options, change);
  return await writtenResponse(context, form, 200, written);
}
