import { badRequestError } from '@pintle/machinery/errors';
import type { ShardSelector } from '@pintle/machinery/selectors';
import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ListOptions } from '../read/list-options.ts';
import { readListOptions } from '../read/list-options.ts';
import { ObjectFilter } from '../read/object-filter.ts';
import { parseResourceVersion } from '../read/read-revision.ts';
import { readShardSelector } from '../read/shard-selector.ts';
import { negotiateStream, refuseUnstreamable } from '../response/response.ts';
import { includeObject } from '../response/table.ts';
import { watchEncoder } from '../watch/watch-encoder.ts';
import { WatchStream } from '../watch/watch-stream.ts';

/** Streams the events of a collection. Once the stream has begun, errors are events. */
export async function watch(context: RequestContext): Promise<ApiResponse> {
  const options = readListOptions(context.query, { isWatch: true });
  const form = negotiateStream(context);
  if (form.transform?.as === 'Table') includeObject(context.query);
  const filter = watchFilter(context, options, await readShardSelector(context));
  const from = parseResourceVersion(options.resourceVersion, { isWatch: true });
  refuseUnstreamable(form);
  const encoder = await watchEncoder(context, form);
  return {
    status: 200,
    headers: { 'content-type': encoder.contentType, 'transfer-encoding': 'chunked' },
    body: new WatchStream(context, { options, filter, from, encoder }),
  };
}

function watchFilter(context: RequestContext, options: ListOptions, shard: ShardSelector | undefined): ObjectFilter {
  const filter = new ObjectFilter(context.resource, options, shard);
  const { name } = context.info;
  if (name === '') return filter;
  if (filter.name !== undefined && filter.name !== name) {
    throw badRequestError("fieldSelector metadata.name doesn't match requested name");
  }
  return new ObjectFilter(context.resource, { ...options, fieldSelector: `metadata.name=${name}` }, shard);
}
