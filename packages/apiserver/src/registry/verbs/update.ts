import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { answerWritten, negotiateAnswer } from '../response/response.ts';
import { changeObject } from '../write/object-write.ts';
import { readReplacement } from '../write/replacement.ts';

/** Replaces an object; of some kinds, also creates one where there is none. */
export async function update(call: EndpointCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const form = negotiateAnswer(call);
  const change = await readReplacement(call, options);
  const written = await changeObject(call, options, change);
  return await answerWritten(call, form, written.isNew ? 201 : 200, written);
}
