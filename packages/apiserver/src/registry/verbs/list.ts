import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { readListOptions } from '../read/list-options.ts';
import { readPage } from '../read/list-page.ts';
import { listResponse } from '../read/list-response.ts';
import { ObjectFilter } from '../read/object-filter.ts';
import { readShardSelector } from '../read/shard-selector.ts';
import { negotiateResponse } from '../response/response.ts';
import { includeObject } from '../response/table.ts';

/** Lists the objects of a collection, all of them or a page. */
export async function list(context: RequestContext): Promise<ApiResponse> {
  const options = readListOptions(context.query, { isWatch: false });
  const form = negotiateResponse(context);
  if (form.transform?.as === 'Table') includeObject(context.query);
  const filter = new ObjectFilter(context.resource, options, await readShardSelector(context));
  const { metadata, source } = await readPage(context, options, filter);
  return await listResponse(context, form, metadata, source);
}
