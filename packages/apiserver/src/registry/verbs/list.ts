import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { readListOptions } from '../read/list-options.ts';
import { readPage } from '../read/list-page.ts';
import { answerList } from '../read/list-response.ts';
import { ObjectFilter } from '../read/object-filter.ts';
import { negotiateAnswer } from '../response/response.ts';
import { includeObject } from '../response/table.ts';

/** Lists the objects of a collection, all of them or a page. */
export async function list(call: EndpointCall): Promise<ApiResponse> {
  const options = readListOptions(call.query, { isWatch: false });
  const form = negotiateAnswer(call);
  if (form.transform?.as === 'Table') includeObject(call.query);
  const filter = new ObjectFilter(call.resource, options);
  const { metadata, source } = await readPage(call, options, filter);
  return await answerList(call, form, metadata, source);
}
