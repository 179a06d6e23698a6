import { required } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { negotiateResponse, writtenResponse } from '../response/response.ts';
import { applyChange } from '../write/apply-change.ts';
import { changeObject } from '../write/object-write.ts';
import { readConfiguration } from '../write/read-body.ts';

/** Server-side apply. */
export async function apply(context: RequestContext): Promise<ApiResponse> {
  const unnamed = context.query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
  const options = readWriteOptions(context.query, 'PatchOptions', unnamed);
  const form = negotiateResponse(context);
  const configuration = await readConfiguration(context);
  const written = await changeObject(context, options, applyChange(context, options, configuration));
  return await writtenResponse(context, form, written.isNew ? 201 : 200, written);
}
