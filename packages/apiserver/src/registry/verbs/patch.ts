import { forbidden } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { answerWritten, negotiateAnswer } from '../response/response.ts';
import { changeObject } from '../write/object-write.ts';
import { readPatchChange } from '../write/patch-change.ts';

/** Patches an object with a JSON, merge or strategic merge patch, as the media type `type` says. */
export async function patch(call: EndpointCall, type: string): Promise<ApiResponse> {
  const forced = call.query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : [];
  const options = readWriteOptions(call.query, 'PatchOptions', forced);
  const form = negotiateAnswer(call);
  const change = await readPatchChange(call, type, options);
  const written = await changeObject(call, options, change);
  return await answerWritten(call, form, 200, written);
}
