import { required } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { answerWritten, negotiateAnswer } from '../response/response.ts';
import { readApply } from '../write/apply-change.ts';
import { changeObject } from '../write/object-write.ts';

/** Server-side apply. */
export async function apply(call: EndpointCall): Promise<ApiResponse> {
  const unnamed = call.query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
  const options = readWriteOptions(call.query, 'PatchOptions', unnamed);
  const form = negotiateAnswer(call);
  const change = await readApply(call, options);
  const written = await changeObject(call, options, change);
  return await answerWritten(call, form, written.isNew ? 201 : 200, written);
}
