import { answerObject, decodeBody, negotiateAnswer, recordOwners, setNamespace } from '@pintle/apiserver/registry';
import type { Endpoint, EndpointCall, Endpoints } from '@pintle/apiserver/resource';
import { creation, forgetSystemMetadata, readWriteOptions } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';

/** Serves a review kind: returns the created object with its status filled in, and stores nothing. */
export function reviewEndpoints<T extends KubernetesObject>(
  answer: (call: EndpointCall, review: T) => Promise<T> | T,
): Endpoints {
  const create: Endpoint = async (call) => {
    const options = readWriteOptions(call.query, 'CreateOptions');
    const form = negotiateAnswer(call, { isPrinted: false });
    const review = (await decodeBody(call, options.fieldValidation)).object as T;
    setNamespace(call, review);
    forgetSystemMetadata(review.metadata);
    await recordOwners(call, options, review, undefined);
    const admission = creation(call, review, options);
    await call.admission.admit(admission);
    return await answerObject(call, form, 201, await answer(call, admission.object as T));
  };
  return { create };
}
