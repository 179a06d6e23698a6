import { badRequestError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../request/exchange.ts';
import type { EndpointCall, Endpoints } from '../resource/endpoint.ts';
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
async function patchOrApply(call: EndpointCall): Promise<ApiResponse> {
  const type = patchType(call);
  if (call.info.name === '') throw badRequestError('name must be provided');
  return type === APPLY_PATCH ? await apply(call) : await patch(call, type);
}
