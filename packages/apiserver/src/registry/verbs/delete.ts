import type { ApiResponse } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { answerValue, answerWritten, negotiateAnswer } from '../response/response.ts';
import { includeObject } from '../response/table.ts';
import { readDeleteOptions } from '../write/delete-options.ts';
import { deleteObject, deleteUnread, warnOfOrphans } from '../write/object-delete.ts';

/** Deletes an object: it goes, or is marked because something still holds it. */
export async function remove(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const { transform, ...plain } = form;
  const options = await readDeleteOptions(call);
  const { resource, info } = call;
  if (options.ignoresReadError) {
    await deleteUnread(call);
    // Only the name is known of what was deleted.
    const details = { name: info.name, kind: resource.type.kind };
    return await answerValue(call, plain, 200, { ...SUCCESS, details, code: 200 });
  }
  warnOfOrphans(call, options);
  const deleted = await deleteObject(call, info.namespace, info.name, options);
  const status = !deleted.isGone && options.orphanDependents === false ? 202 : 200;
  if (!deleted.isGone || resource.rules.returnsDeletedObject) return await answerWritten(call, form, status, deleted);
  // A Status is no row of any table, but what the table shall be is looked at all the same.
  if (transform?.as === 'Table') includeObject(call.query);
  const { group, plural } = resource.type;
  const { name = '', uid = '' } = deleted.object.metadata;
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return await answerValue(call, plain, 200, { ...SUCCESS, details });
}

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
