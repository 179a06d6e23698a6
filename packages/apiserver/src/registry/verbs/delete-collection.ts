import { internalError } from '@pintle/machinery/errors';
import type { StoreError } from '@pintle/store';
import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { LARGE_BYTES } from '../../resource/yield-policy.ts';
import { readListOptions } from '../read/list-options.ts';
import { readPage } from '../read/list-page.ts';
import { bytesOf, runsOf } from '../read/list-records.ts';
import type { ListSource } from '../read/list-response.ts';
import { listResponse } from '../read/list-response.ts';
import { ObjectFilter } from '../read/object-filter.ts';
import { readShardSelector } from '../read/shard-selector.ts';
import { negotiateResponse } from '../response/response.ts';
import { readDeleteOptions, refuseUnsafe } from '../write/delete-options.ts';
import { batchSizeFor, deleteRecords, warnOfOrphans } from '../write/object-delete.ts';

const DELETE_OPTIONS = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
const NOT_FOR_MANY = 'is not allowed with DELETECOLLECTION, try again after removing the option';

/**
 * Deletes the objects that a list with the same options returns, and responds with that list. Stops at the first
 * refusal.
 */
export async function removeCollection(context: RequestContext): Promise<ApiResponse> {
  const form = negotiateResponse(context);
  const listOptions = readListOptions(context.query, { isWatch: false });
  const options = await readDeleteOptions(context);
  if (options.ignoresReadError) refuseUnsafe(DELETE_OPTIONS, '', NOT_FOR_MANY);
  const damaged = new Set<string>();
  const onDamaged = (error: StoreError): void => {
    damaged.add(error.message);
    context.onDamaged(error);
  };
  const noting = { ...context, onDamaged };
  warnOfOrphans(context, options);
  const filter = new ObjectFilter(context.resource, listOptions, await readShardSelector(context));
  const page = await readPage(noting, listOptions, filter);
  const gone = new Set<string>();
  let atOnce = 0;
  for await (const { records } of page.source.chunks()) {
    if (atOnce === 0) atOnce = await batchSizeFor(context, records, options);
    for (let start = 0; start < records.length; start += atOnce) {
      // Large objects are read in separate turns.
      for (const batch of runsOf(records.slice(start, start + atOnce), LARGE_BYTES)) {
        if (bytesOf(batch) >= LARGE_BYTES) await context.yielding.ownTurn();
        for (const key of await deleteRecords(context, batch, options)) gone.add(key);
      }
    }
  }
  // A client that wants the collection empty must learn that it is not.
  const [damage] = damaged;
  if (damage !== undefined) throw internalError(`${damaged.size} damaged objects are left: ${damage}`);
  return await listResponse(context, form, page.metadata, without(gone, page.source));
}

/**
 * Returns a source without the keys in `gone`. Reads deleted objects again from history, because there may be too many
 * to hold.
 */
function without(gone: ReadonlySet<string>, source: ListSource): ListSource {
  if (gone.size === 0) return source;
  return {
    revision: source.revision,
    async *chunks() {
      for await (const { records } of source.chunks()) yield { records: records.filter(({ key }) => !gone.has(key)) };
    },
  };
}
