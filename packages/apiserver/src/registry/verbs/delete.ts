import type { ApiResponse } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { negotiateResponse, valueResponse, writtenResponse } from '../response/response.ts';
import { includeObject } from '../response/table.ts';
import { readDeleteOptions } from '../write/delete-options.ts';
import { deleteObject, deleteUnread, warnOfOrphans } from '../write/object-delete.ts';

/** Deletes an object, or marks it as deleted while finalizers or a grace period hold it. */
export async function remove(context: RequestContext): Promise<ApiResponse> {
  const form = negotiateResponse(context);
  const { transform, ...plain } = form;
  const options = await readDeleteOptions(context);
  const { resource, info } = context;
  if (options.ignoresReadError) {
    await deleteUnread(context);
    // The deleted object could not be read: only its name is known.
    const details = { name: info.name, kind: resource.type.kind };
    return await valueResponse(context, plain, 200, { ...SUCCESS, details, code: 200 });
  }
  warnOfOrphans(context, options);
  const deleted = await deleteObject(context, info.namespace, info.name, options);
  const status = !deleted.isGone && options.orphanDependents === false ? 202 : 200;
  if (!deleted.isGone || resource.rules.returnsDeletedObject)
    return await writtenResponse(context, form, status, deleted);
  // A Status is not a row of a table, but `includeObject` is validated all the same.
  if (transform?.as === 'Table') includeObject(context.query);
  const { group, plural } = resource.type;
  const { name = '', uid = '' } = deleted.object.metadata;
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return await valueResponse(context, plain, 200, { ...SUCCESS, details });
}

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
