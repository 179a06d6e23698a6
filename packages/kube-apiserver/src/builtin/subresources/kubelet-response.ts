import type { ApiResponse } from '@pintle/apiserver';
import { ObjectFilter } from '@pintle/apiserver/registry';
import type { RequestContext } from '@pintle/apiserver/resource';
import { collectionRange, scanRecords, toObject } from '@pintle/apiserver/storage';
import type { KubernetesObject } from '@pintle/machinery';
import { stringifyJson } from '@pintle/machinery/json';
import { escapeFieldValue } from '@pintle/machinery/selectors';

/**
 * Serves requests to the kubelet of a simulated node: its health, the pods that are bound to it and an empty list of
 * log files. Everything else is not found.
 */
export async function kubeletResponse(context: RequestContext, node: string): Promise<ApiResponse> {
  if (context.request.method !== 'GET' && context.request.method !== 'HEAD') return text(405, 'Method Not Allowed');
  switch (context.info.rest.join('/').replace(/\/$/, '')) {
    case 'healthz':
      return text(200, 'ok');
    case 'pods':
    case 'runningpods':
      return await podsOf(context, node);
    case 'logs':
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(NO_FILES) };
    default:
      return text(404, '404 page not found');
  }
}

const NO_FILES = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n</pre>\n';

function text(status: number, body: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(body) };
}

async function podsOf({ store, resources, yielding }: RequestContext, node: string): Promise<ApiResponse> {
  const resource = (await resources.find({ group: '', version: 'v1', resource: 'pods' }))!;
  const fieldSelector = `spec.nodeName=${escapeFieldValue(node)}`;
  const { selection } = new ObjectFilter(resource, { labelSelector: undefined, fieldSelector });
  const items: KubernetesObject[] = [];
  for await (const record of scanRecords(
    store,
    collectionRange(resource.storage, ''),
    selection && { select: selection },
  )) {
    yielding.weigh(record.value.length);
    items.push(await yielding.inOwnTurn(() => toObject(resource, record)));
  }
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(stringifyJson(list as never)),
  };
}
