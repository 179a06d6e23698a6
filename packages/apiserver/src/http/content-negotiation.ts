import { serverResponseError } from '@pintle/machinery/errors';
import type { ApiRequest } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import type { Shape } from './media-type.ts';
import { canKeep, parseAccept, shapeOf } from './media-type.ts';

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

const SERVED_TYPES: readonly string[] = Object.values(MEDIA_TYPES);

/** What an endpoint is able to answer with. */
export interface Offer {
  readonly encodings: readonly Encoding[];
  readonly transforms: readonly Transform[];
  readonly serverVersion?: string;
}

/** Why no clause of an Accept header fits: no type that is offered, or only in a shape this endpoint does not have. */
export interface NotNegotiable {
  readonly refused: 'type' | 'transform';
  /** The shape that was asked for last. */
  readonly as?: string;
}

/**
 * Picks the first clause of the Accept header that the endpoint can satisfy, as Kubernetes does: a clause whose
 * transform is refused falls through to the next. Without a header, the first encoding offered.
 */
export function negotiate(accept: string | undefined, offer: Offer, isPretty = false): Negotiated | NotNegotiable {
  if (accept === undefined || accept.trim() === '') return { encoding: offer.encodings[0] ?? 'json', pretty: isPretty };
  let refusal: NotNegotiable = { refused: 'type' };
  for (const clause of parseAccept(accept)) {
    const encoding = offer.encodings.find((candidate) => matches(clause.type, MEDIA_TYPES[candidate]));
    if (encoding === undefined) continue;
    const shape = shapeOf(clause);
    if (!canKeep(clause, { ...offer, canStream: encoding !== 'yaml' })) {
      refusal = { refused: 'transform', ...(shape && { as: shape.kind }) };
      continue;
    }
    const pretty = isPretty || clause.parameters.get('pretty') === '1';
    if (shape === undefined) return { encoding, pretty };
    const transform = transformOf(shape, offer, encoding);
    if (transform !== undefined) return { encoding, transform, pretty };
    refusal = { refused: 'transform', as: shape.kind };
  }
  return refusal;
}

function transformOf({ group, version, kind }: Shape, offer: Offer, encoding: Encoding): Negotiated['transform'] {
  const as = offer.transforms.find((candidate) => candidate === kind);
  if (as === undefined || group !== 'meta.k8s.io') return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  return as === 'Table' && encoding === 'protobuf' ? undefined : { as, version };
}

/** What a path can be asked for as; `streams` only by name. */
interface Routable {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

/**
 * Throws 406, in the words of Kubernetes' router, when the header names no type that is served here at all. The router
 * knows the wildcard for everything, not those for subtypes.
 */
export function refuseUnroutable(
  method: string,
  accept: string | undefined,
  { types = SERVED_TYPES, streams = [] }: Routable = {},
): void {
  if (accept === undefined || (accept === MEDIA_TYPES.json && types === SERVED_TYPES) || accept.trim() === '') return;
  if (parseAccept(accept).some(({ written }) => written === '*/*' || types.includes(written))) return;
  const list = [...types, ...streams].join(', ');
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${list}`;
  throw serverResponseError({ code: 406, method, serverMessage });
}

function matches(pattern: string, type: string): boolean {
  return pattern === '*/*' || pattern === type || (pattern === 'application/*' && type.startsWith('application/'));
}

const PRETTY_AGENTS = ['curl', 'Wget', 'Mozilla/5.0'];

/** `?pretty=` decides; without it, people at a browser or curl get their answers indented. */
export function wantsPretty(request: Pick<ApiRequest, 'headers'>, query: URLSearchParams): boolean {
  const wish = query.get('pretty');
  if (wish !== null) return isTrue(wish);
  const agent = headerOf(request, 'user-agent') ?? '';
  return PRETTY_AGENTS.some((name) => agent.startsWith(name));
}
