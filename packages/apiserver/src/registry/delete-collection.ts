import type { KubernetesObject } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { ApiResponse } from '../http/exchange.ts';
import { toObject } from '../storage/object-store.ts';
import { answerValue, negotiateAnswer } from './answer.ts';
import { deleteObject, warnOfOrphans } from './delete.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { EndpointCall } from './endpoint.ts';
import { readPage } from './list.ts';
import { readListOptions } from './list-options.ts';
import { ObjectFilter } from './object-filter.ts';

/** Deletes what a list with the same options would show, one after another; answers with what was there. */
export async function removeCollection(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call, []);
  const listOptions = readListOptions(call.query, { isWatch: false });
  const options = await readDeleteOptions(call);
  warnOfOrphans(call, options);
  const page = await readPage(call, listOptions, new ObjectFilter(call.resource, listOptions));
  const items: JsonObject[] = [];
  for (const record of page.records) {
    const object = toObject(call.resource, record);
    if (await deleteIfThere(call, object, options)) items.push(withoutType(object, call.resource.itemsAreTyped));
  }
  const { type } = call.resource;
  const metadata = page.metadata as unknown as JsonObject;
  return await answerValue(form, 200, {
    kind: type.listKind,
    apiVersion: type.apiVersion,
    metadata,
    items,
  });
}

async function deleteIfThere(
  call: EndpointCall,
  object: KubernetesObject,
  options: Awaited<ReturnType<typeof readDeleteOptions>>,
): Promise<boolean> {
  try {
    const { namespace = '', name = '' } = object.metadata;
    await deleteObject(call, namespace, name, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function withoutType(object: KubernetesObject, isTyped: boolean): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return (isTyped ? object : rest) as unknown as JsonObject;
}
