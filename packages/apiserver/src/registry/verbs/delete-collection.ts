import { ownTurn } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { internalError, isNotFound } from '@pintle/machinery/errors';
import type { StoreError, StoreRecord } from '@pintle/store';
import type { ApiResponse } from '../../request/exchange.ts';
import { deletion } from '../../resource/admission-request.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { DeleteOptions } from '../../resource/options.ts';
import { LARGE_BYTES } from '../../resource/pace.ts';
import { toObjects } from '../../storage/object-store.ts';
import { readListOptions } from '../read/list-options.ts';
import { bytesOf, runsOf } from '../read/list-records.ts';
import type { ListSource } from '../read/list-response.ts';
import { answerList } from '../read/list-response.ts';
import { ObjectFilter } from '../read/object-filter.ts';
import { negotiateAnswer } from '../response/response.ts';
import { readDeleteOptions, refuseUnsafe } from '../write/delete-options.ts';
import { deleteObject, warnOfOrphans } from './delete.ts';
import { readPage } from './list.ts';

const DELETE_OPTIONS = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
const NOT_FOR_MANY = 'is not allowed with DELETECOLLECTION, try again after removing the option';

/** How many objects are deleted at a time, so that they share commits. */
const AT_ONCE = 32;

/** Deletes what a list with the same options would show; answers with what was there. Stops where one is refused. */
export async function removeCollection(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const listOptions = readListOptions(call.query, { isWatch: false });
  const options = await readDeleteOptions(call);
  if (options.ignoresReadError) refuseUnsafe(DELETE_OPTIONS, '', NOT_FOR_MANY);
  const damaged = new Set<string>();
  const onDamaged = (error: StoreError): void => {
    damaged.add(error.message);
    call.onDamaged(error);
  };
  const noting = { ...call, onDamaged };
  warnOfOrphans(call, options);
  const page = await readPage(noting, listOptions, new ObjectFilter(call.resource, listOptions));
  const gone = new Set<string>();
  let atOnce = 0;
  for await (const { records } of page.source.chunks()) {
    if (atOnce === 0) atOnce = await batchSize(call, records, options);
    for (let start = 0; start < records.length; start += atOnce) {
      // Large objects are read in turns of their own.
      for (const batch of runsOf(records.slice(start, start + atOnce), LARGE_BYTES)) {
        if (bytesOf(batch) >= LARGE_BYTES) await ownTurn();
        for (const key of await deleteBatch(call, batch, options)) gone.add(key);
      }
    }
  }
  // Whoever wants the collection empty must not take it for that.
  const [damage] = damaged;
  if (damage !== undefined) throw internalError(`${damaged.size} damaged objects are left: ${damage}`);
  return await answerList(call, form, page.metadata, without(gone, page.source));
}

/** Where somebody may say no, those that follow are not to be touched. */
async function batchSize(call: EndpointCall, records: readonly StoreRecord[], options: DeleteOptions): Promise<number> {
  const [first] = await toObjects(call.resource, records.slice(0, 1));
  return first && call.admission.handles(deletion(call, first, options)) ? 1 : AT_ONCE;
}

/** Reads the deleted objects once more from history, because there may be more of them than should be held. */
function without(gone: ReadonlySet<string>, source: ListSource): ListSource {
  if (gone.size === 0) return source;
  return {
    revision: source.revision,
    async *chunks() {
      for await (const { records } of source.chunks()) yield { records: records.filter(({ key }) => !gone.has(key)) };
    },
  };
}

/** Gives the keys of those that were not there to delete. Waits for all of them before it throws the first refusal. */
async function deleteBatch(
  call: EndpointCall,
  records: readonly StoreRecord[],
  options: DeleteOptions,
): Promise<string[]> {
  const objects = await toObjects(call.resource, records);
  const outcomes = await Promise.allSettled(objects.map((object) => deleteIfThere(call, object, options)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return records.flatMap(({ key }, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'fulfilled' && !outcome.value ? [key] : [];
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
