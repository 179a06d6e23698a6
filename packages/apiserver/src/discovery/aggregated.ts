import { createHash } from 'node:crypto';
import type { BuiltinSubresource } from '@pintle/kinds/discovery';
import type { JsonObject } from '@pintle/machinery/json';
import { asJson } from '@pintle/machinery/json';
import type { MediaType } from '../http/content-negotiation.ts';
import { MEDIA_TYPES, parseAccept, requestedKindOf, wantsPretty } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { encodingFor, printDocument } from './answer-document.ts';
import type { CatalogGroup, CatalogResource, DiscoveryCatalog } from './catalog.ts';

type Root = 'api' | 'apis';

interface Document {
  readonly list: JsonObject;
  /** Compact JSON, which nearly all clients request. */
  readonly json: Uint8Array;
  /** The same in every encoding. */
  readonly etag: string;
}

/** Kind of aggregated discovery. Its beta version is not served. */
const KIND = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' } as const;

/** Returns the first clause of the Accept header that requests aggregated discovery, at any position. */
export function aggregatedClause({ request }: RequestState): MediaType | undefined {
  return parseAccept(headerOf(request, 'accept')).find((clause) => {
    const requested = requestedKindOf(clause);
    if (requested?.group !== KIND.group || requested.version !== KIND.version || requested.kind !== KIND.kind)
      return false;
    return encodingFor(clause) !== undefined;
  });
}

/** Returns everything under `/api` or `/apis` in one document, or 304 when the client has it. */
export async function aggregatedDiscovery(
  catalog: DiscoveryCatalog,
  state: RequestState,
  root: Root,
  clause: MediaType,
): Promise<ApiResponse> {
  const { list, json, etag } = documentOf(catalog.groups, root);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (headerOf(state.request, 'if-none-match') === etag) return { status: 304, headers, body: new Uint8Array() };
  const encoding = encodingFor(clause) ?? 'json';
  const isPretty = clause.parameters.get('pretty') === '1' || wantsPretty(state.request, state.query);
  const body = encoding === 'json' && !isPretty ? json : await printDocument(list, encoding, isPretty);
  const type = `${MEDIA_TYPES[encoding]};g=${KIND.group};v=${KIND.version};as=${KIND.kind}`;
  return { status: 200, headers: { ...headers, 'content-type': type }, body, isShared: true };
}

const documents: Readonly<Record<Root, WeakMap<readonly CatalogGroup[], Document>>> = {
  api: new WeakMap(),
  apis: new WeakMap(),
};

function documentOf(groups: readonly CatalogGroup[], root: Root): Document {
  const known = documents[root].get(groups);
  if (known !== undefined) return known;
  const items = groups.filter(({ group }) => (root === 'api') === (group === '')).map(toItem);
  const apiVersion = `${KIND.group}/${KIND.version}`;
  const list = asJson({ kind: KIND.kind, apiVersion, metadata: {}, items });
  const json = Buffer.from(`${JSON.stringify(list)}\n`);
  const document = { list, json, etag: `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"` };
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
