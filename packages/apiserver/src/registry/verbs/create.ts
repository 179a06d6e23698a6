import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { forgetSystemMetadata } from '../../resource/object-metadata.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { answerWritten, negotiateAnswer } from '../response/response.ts';
import { createObject } from '../write/object-write.ts';
import { setNamespace } from '../write/prepare.ts';
import { decodeBody } from '../write/read-body.ts';

export async function create(call: EndpointCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, 'CreateOptions');
  const form = negotiateAnswer(call);
  const desired = await decodeBody(call, options.fieldValidation);
  setNamespace(call, desired.object);
  forgetSystemMetadata(desired.object.metadata);
  const written = await createObject(call, options, desired, { isPosted: true });
  return await answerWritten(call, form, 201, written);
}
