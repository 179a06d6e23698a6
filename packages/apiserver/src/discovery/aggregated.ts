import { createHash } from 'node:crypto';
import type { BuiltinGroup, BuiltinResource, BuiltinSubresource } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';

export const AGGREGATED_TYPE = { g: 'apidiscovery.k8s.io', v: 'v2', as: 'APIGroupDiscoveryList' } as const;

interface Document {
  readonly body: Uint8Array;
  readonly etag: string;
}

const documents = new Map<string, Document>();

/** Everything under `/api` or `/apis` in one document; unchanged since the client last asked: 304. */
export function aggregatedDiscovery(state: RequestState, root: 'api' | 'apis'): ApiResponse {
  const { body, etag } = documentOf(root);
  const headers = {
    'content-type': `application/json;g=${AGGREGATED_TYPE.g};v=${AGGREGATED_TYPE.v};as=${AGGREGATED_TYPE.as}`,
    etag,
    vary: 'Accept',
    'cache-control': 'public',
  };
  if (headerOf(state.request, 'if-none-match') === etag) return { status: 304, headers, body: new Uint8Array() };
  return { status: 200, headers, body };
}

function documentOf(root: 'api' | 'apis'): Document {
  let document = documents.get(root);
  if (document === undefined) {
    const groups = builtinGroups.filter(({ group }) => (root === 'api') === (group === ''));
    const body = Buffer.from(
      JSON.stringify({
        kind: AGGREGATED_TYPE.as,
        apiVersion: `${AGGREGATED_TYPE.g}/${AGGREGATED_TYPE.v}`,
        metadata: {},
        items: groups.map(toItem),
      }),
    );
    document = { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
    documents.set(root, document);
  }
  return document;
}

function toItem({ group, versions }: BuiltinGroup): object {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(toResource),
      freshness: 'Current',
    })),
  };
}

function toResource(resource: BuiltinResource): object {
  return {
    resource: resource.resource,
    responseKind: resource.responseKind,
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(resource.subresources.length > 0 && { subresources: resource.subresources.map(toSubresource) }),
  };
}

function toSubresource({ subresource, responseKind, acceptedTypes, verbs }: BuiltinSubresource): object {
  return { subresource, responseKind, ...(acceptedTypes.length > 0 && { acceptedTypes }), verbs };
}
