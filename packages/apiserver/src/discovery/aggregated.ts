import { createHash } from 'node:crypto';
import type { BuiltinSubresource } from '@pintle/kinds/discovery';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import type { MediaType } from '../http/media-type.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { CatalogGroup, CatalogResource, DiscoveryCatalog } from './catalog.ts';

type Root = 'api' | 'apis';

interface Document {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** The one form in which everything is told at once. The beta of it is no longer served. */
const FORM = { g: 'apidiscovery.k8s.io', v: 'v2', as: 'APIGroupDiscoveryList' } as const;
const CONTENT_TYPE = `application/json;g=${FORM.g};v=${FORM.v};as=${FORM.as}`;

export function asksForAggregated({ type, parameters }: MediaType): boolean {
  if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return false;
  return parameters.get('as') === FORM.as && parameters.get('g') === FORM.g && parameters.get('v') === FORM.v;
}

/** Everything under `/api` or `/apis` in one document; unchanged since the client last asked: 304. */
export function aggregatedDiscovery(catalog: DiscoveryCatalog, state: RequestState, root: Root): ApiResponse {
  const { body, etag } = documentOf(catalog.groups, root);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (headerOf(state.request, 'if-none-match') === etag) return { status: 304, headers, body: new Uint8Array() };
  return { status: 200, headers: { ...headers, 'content-type': CONTENT_TYPE }, body };
}

const documents: Readonly<Record<Root, WeakMap<readonly CatalogGroup[], Document>>> = {
  api: new WeakMap(),
  apis: new WeakMap(),
};

function documentOf(groups: readonly CatalogGroup[], root: Root): Document {
  const known = documents[root].get(groups);
  if (known !== undefined) return known;
  const items = groups.filter(({ group }) => (root === 'api') === (group === '')).map(toItem);
  const list = { kind: FORM.as, apiVersion: `${FORM.g}/${FORM.v}`, metadata: {}, items };
  const body = Buffer.from(JSON.stringify(list));
  const document = { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` };
  documents[root].set(groups, document);
  return document;
}

function toItem({ group, versions }: CatalogGroup): object {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, resources, isStale }) => ({
      version,
      ...(resources.length > 0 && { resources: resources.map(toResource) }),
      freshness: isStale ? 'Stale' : 'Current',
    })),
  };
}

function toResource(resource: CatalogResource): object {
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
