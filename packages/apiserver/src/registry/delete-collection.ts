import type { KubernetesObject } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { deletion } from '../admission/admission-request.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { toObjects } from '../storage/object-store.ts';
import { negotiateAnswer } from './answer.ts';
import { deleteObject, warnOfOrphans } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { EndpointCall } from './endpoint.ts';
import { readPage } from './list.ts';
import { answerObjects } from './list-answer.ts';
import { readListOptions } from './list-options.ts';
import { ObjectFilter } from './object-filter.ts';

/** How many objects are deleted at a time, so that they share commits. */
const AT_ONCE = 32;

/** Deletes what a list with the same options would show; answers with what was there. Stops where one is refused. */
export async function removeCollection(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const listOptions = readListOptions(call.query, { isWatch: false });
  const options = await readDeleteOptions(call);
  warnOfOrphans(call, options);
  const page = await readPage(call, listOptions, new ObjectFilter(call.resource, listOptions));
  const objects: KubernetesObject[] = [];
  const [first] = await toObjects(call.resource, page.records.slice(0, 1));
  // Where somebody may say no, those that follow are not to be touched.
  const atOnce = first && call.admission.handles(deletion(call, first, options)) ? 1 : AT_ONCE;
  for (let start = 0; start < page.records.length; start += atOnce) {
    const batch = await toObjects(call.resource, page.records.slice(start, start + atOnce));
    objects.push(...(await deleteBatch(call, batch, options)));
  }
  return await answerObjects(call, form, page.metadata, objects);
}

/** Gives those that were there to delete. Waits for all of them before it throws the first refusal. */
async function deleteBatch(
  call: EndpointCall,
  objects: readonly KubernetesObject[],
  options: DeleteOptions,
): Promise<KubernetesObject[]> {
  const outcomes = await Promise.allSettled(objects.map((object) => deleteIfThere(call, object, options)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return objects.filter((_object, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'fulfilled' && outcome.value;
  });
}

async function deleteIfThere(call: EndpointCall, object: KubernetesObject, options: DeleteOptions): Promise<boolean> {
  try {
    const { namespace = '', name = '' } = object.metadata;
    await deleteObject(call, namespace, name, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
