import { decodeBody, negotiateResponse, objectResponse, recordOwners, setNamespace } from '@pintle/apiserver/registry';
import type { Endpoint, Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { clearSystemMetadata, creation, readWriteOptions } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';

/** Serves a review kind: returns the created object with its status filled in, and stores nothing. */
export function reviewEndpoints<T extends KubernetesObject>(
  answer: (context: RequestContext, review: T) => Promise<T> | T,
): Endpoints {
  const create: Endpoint = async (context) => {
    const options = readWriteOptions(context.query, 'CreateOptions');
    const form = negotiateResponse(context, { isPrinted: false });
    const review = (await decodeBody(context, options.fieldValidation)).object as T;
    setNamespace(context, review);
    clearSystemMetadata(review.metadata);
    await recordOwners(context, options, review, undefined);
    const admission = creation(context, review, options);
    await context.admission.admit(admission);
    return await objectResponse(context, form, 201, await answer(context, admission.object as T));
  };
  return { create };
}
