import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import { badRequestError, notFoundError, unclassifiedError } from '@pintle/machinery/errors';
import type { Revision } from '@pintle/store';
import type { ApiResponse } from '../../request/exchange.ts';
import { isTrue } from '../../request/request-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { findRecord } from '../../storage/object-store.ts';
import { versionProblem, waitForRevision } from '../read/read-revision.ts';
import { negotiateResponse, recordResponse } from '../response/response.ts';

const NO_EXPORT = 'the export parameter, deprecated since v1.14, is no longer supported';

/** Returns one object in its latest state; a resourceVersion is only a lower bound. */
export function get(context: RequestContext): Eventual<ApiResponse> {
  const { info, resource, store } = context;
  const form = negotiateResponse(context);
  if (isTrue(context.query.get('export'))) throw badRequestError(NO_EXPORT);
  const version = context.query.get('resourceVersion') ?? '';
  const problem = version === '' ? undefined : versionProblem(version);
  if (problem !== undefined) {
    throw unclassifiedError(500, `resourceVersion: Invalid value: ${JSON.stringify(version)}: ${problem}`);
  }
  const find = (): Eventual<ApiResponse> =>
    after(findRecord(store, resource, info.namespace, info.name), (record) => {
      if (record === undefined) throw notFoundError(groupResourceOf(resource), info.name);
      return recordResponse(context, form, record, { isFresh: version === '' });
    });
  if (version === '') return after(store.latest(), find);
  const wanted = Math.min(Number(version), Number.MAX_SAFE_INTEGER) as Revision;
  if (store.revision >= wanted) return find();
  return waitForRevision(store, context.clock, wanted, context.request).then(find);
}
