import { required } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { answerWritten, negotiateAnswer } from '../response/response.ts';
import { applyChange } from '../write/apply-change.ts';
import { changeObject } from '../write/object-write.ts';
import { readConfiguration } from '../write/read-body.ts';

/** Server-side apply. */
export async function apply(call: EndpointCall): Promise<ApiResponse> {
  const unnamed = call.query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
  const options = readWriteOptions(call.query, 'PatchOptions', unnamed);
  const form = negotiateAnswer(call);
  const configuration = await readConfiguration(call);
  const written = await changeObject(call, options, applyChange(call, options, configuration));
  return await answerWritten(call, form, written.isNew ? 201 : 200, written);
}
