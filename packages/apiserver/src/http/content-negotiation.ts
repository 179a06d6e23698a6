import type { MediaType } from './media-type.ts';
import { parseAccept } from './media-type.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** An answer in another shape than the object itself. */
export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

export interface Negotiated {
  readonly encoding: Encoding;
  readonly transform?: { readonly as: Transform; readonly version: 'v1' | 'v1beta1' };
  readonly pretty: boolean;
}

export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** What an endpoint is able to answer with. */
export interface Offer {
  readonly encodings: readonly Encoding[];
  readonly transforms: readonly Transform[];
}

/**
 * Picks the first clause of the Accept header that the endpoint can satisfy, as Kubernetes does: a clause whose
 * transform is refused falls through to the next. `undefined`: nothing fits, which is a 406.
 */
export function negotiate(accept: string | undefined, offer: Offer, isPretty = false): Negotiated | undefined {
  const clauses = parseAccept(accept);
  if (clauses.length === 0) return { encoding: offer.encodings[0] ?? 'json', pretty: isPretty };
  for (const clause of clauses) {
    const found = satisfy(clause, offer, isPretty);
    if (found !== undefined) return found;
  }
  return undefined;
}

function satisfy(clause: MediaType, offer: Offer, isPretty: boolean): Negotiated | undefined {
  const encoding = offer.encodings.find((candidate) => matches(clause.type, MEDIA_TYPES[candidate]));
  if (encoding === undefined) return undefined;
  const pretty = isPretty || clause.parameters.get('pretty') === '1';
  const as = clause.parameters.get('as');
  if (as === undefined) return { encoding, pretty };
  const version = clause.parameters.get('v');
  const transform = offer.transforms.find((candidate) => candidate === as);
  if (transform === undefined || clause.parameters.get('g') !== 'meta.k8s.io') return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  if (transform === 'Table' && encoding === 'protobuf') return undefined;
  return { encoding, transform: { as: transform, version }, pretty };
}

function matches(pattern: string, type: string): boolean {
  if (pattern === '*/*' || pattern === type) return true;
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1));
}
