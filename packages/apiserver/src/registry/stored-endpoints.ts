import { badRequestError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../request/exchange.ts';
import type { Endpoints, RequestContext } from '../resource/endpoint.ts';
import { apply } from './verbs/apply.ts';
import { create } from './verbs/create.ts';
import { remove } from './verbs/delete.ts';
import { removeCollection } from './verbs/delete-collection.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';
import { APPLY_PATCH, patchType } from './write/patch-change.ts';

/** Endpoints of resources whose objects are stored and served as they are. */
export const storedEndpoints = {
  get,
  list,
  watch,
  create,
  update,
  patch: patchOrApply,
  delete: remove,
  deletecollection: removeCollection,
} satisfies Endpoints;

/** Chooses between patch and apply by the media type. */
async function patchOrApply(context: RequestContext): Promise<ApiResponse> {
  const type = patchType(context);
  if (context.info.name === '') throw badRequestError('name must be provided');
  return type === APPLY_PATCH ? await apply(context) : await patch(context, type);
}
