import { serverResponseError } from '@pintle/machinery/errors';
import type { ApiRequest } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** Kinds that objects can be converted to in responses. */
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

/** Encodings and transforms of an endpoint. */
export interface Offer {
  readonly encodings: readonly Encoding[];
  readonly transforms: readonly Transform[];
  readonly serverVersion?: string;
}

/** Reason why no clause of an Accept header fits: its types, or the kinds that it requests. */
export interface NotNegotiable {
  readonly refused: 'type' | 'transform';
  /** Kind that was requested last. */
  readonly as?: string;
}

/**
 * Returns the first clause of the Accept header that the endpoint can satisfy, as Kubernetes does: a clause whose transform is
 * refused falls through to the next. Without a header, returns the first encoding.
 */
export function negotiate(accept: string | undefined, offer: Offer, isPretty = false): Negotiated | NotNegotiable {
  if (accept === undefined || accept.trim() === '') return { encoding: offer.encodings[0] ?? 'json', pretty: isPretty };
  let refusal: NotNegotiable = { refused: 'type' };
  for (const clause of parseAccept(accept)) {
    const encoding = offer.encodings.find((candidate) => matches(clause.type, MEDIA_TYPES[candidate]));
    if (encoding === undefined) continue;
    const requested = requestedKindOf(clause);
    if (!supportsParameters(clause, { ...offer, canStream: encoding !== 'yaml' })) {
      refusal = { refused: 'transform', ...(requested && { as: requested.kind }) };
      continue;
    }
    const pretty = isPretty || clause.parameters.get('pretty') === '1';
    if (requested === undefined) return { encoding, pretty };
    const transform = transformOf(requested, offer, encoding);
    if (transform !== undefined) return { encoding, transform, pretty };
    refusal = { refused: 'transform', as: requested.kind };
  }
  return refusal;
}

function transformOf(
  { group, version, kind }: RequestedKind,
  offer: Offer,
  encoding: Encoding,
): Negotiated['transform'] {
  const as = offer.transforms.find((candidate) => candidate === kind);
  if (as === undefined || group !== 'meta.k8s.io') return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  return as === 'Table' && encoding === 'protobuf' ? undefined : { as, version };
}

/** Types of a path. `streams` are listed in errors only. */
interface Routable {
  readonly types?: readonly string[];
  readonly streams?: readonly string[];
}

/**
 * Throws 406, in the words of Kubernetes' router, when the header has no type of this path. The router accepts the wildcard for
 * all types, and not those for subtypes.
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

/** True for `?pretty=true`, and without the parameter for browsers and curl. */
export function wantsPretty(request: Pick<ApiRequest, 'headers'>, query: URLSearchParams): boolean {
  const pretty = query.get('pretty');
  if (pretty !== null) return isTrue(pretty);
  const agent = headerOf(request, 'user-agent') ?? '';
  return PRETTY_AGENTS.some((name) => agent.startsWith(name));
}

/** A media type with its parameters, as in `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export interface MediaType {
  readonly type: string;
  /** Type as it was sent; `*` alone stands for any type. */
  readonly written: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Weight from 0 to 1. */
  readonly quality: number;
}

const MAX_CLAUSES = 64;

/** Parses a media type; `undefined` when it is not `type/subtype` or its parameters are malformed. */
export function parseMediaType(text: string): MediaType | undefined {
  const read = hasReadableParameters(text) ? parseClause(text) : undefined;
  return read && { ...read, type: read.type.toLowerCase() };
}

/** True when each parameter is `name=value`. Accepts one semicolon at the end. */
function hasReadableParameters(text: string): boolean {
  const [, ...parts] = text.split(';');
  if (parts.at(-1)?.trim() === '') parts.pop();
  return parts.every((part) => PARAMETER.test(part));
}

const PARAMETER = /^\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")\s*$/;

/** As `parseMediaType`, but literal, as Kubernetes reads Accept headers: even quotes of values stay. */
function parseClause(text: string): MediaType | undefined {
  const [head = '', ...rest] = text.split(';');
  const written = head.trim();
  const type = written === '*' ? '*/*' : written;
  if (!/^[a-z0-9!#$&^_.+*-]{1,127}\/[a-z0-9!#$&^_.+*@-]{1,127}$/i.test(type)) return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    if (equals === -1) continue;
    parameters.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get('q') ?? '1');
  parameters.delete('q');
  return { type, written, parameters, quality: Number.isFinite(quality) ? quality : 0 };
}

/** Cache of Accept headers, of which clients repeat the same few. Cleared when full. */
const accepted = new Map<string, readonly MediaType[]>();
const MAX_ACCEPTED = 256;
const MAX_ACCEPTED_LENGTH = 512;

/** Returns the clauses of an Accept header, best first, without unreadable ones. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  if (header === undefined || header.trim() === '') return [];
  let clauses = accepted.get(header);
  if (clauses === undefined) {
    clauses = readAccept(header);
    if (accepted.size >= MAX_ACCEPTED) accepted.clear();
    if (header.length <= MAX_ACCEPTED_LENGTH) accepted.set(header, clauses);
  }
  return clauses;
}

function readAccept(header: string): MediaType[] {
  const clauses: MediaType[] = [];
  for (const text of header.split(',', MAX_CLAUSES)) {
    const clause = parseClause(text);
    if (clause === undefined) continue;
    // Each moves before those that it is preferred to, and no further, as Kubernetes sorts them.
    let at = clauses.length;
    while (at > 0 && isPreferred(clause, clauses[at - 1]!)) at--;
    clauses.splice(at, 0, clause);
  }
  return clauses;
}

/** True when `a` has a higher weight, or is more specific. Equal clauses keep their order. */
function isPreferred(a: MediaType, b: MediaType): boolean {
  if (a.quality > b.quality) return true;
  return (!a.type.startsWith('*/') && b.type.startsWith('*/')) || (!a.type.endsWith('/*') && b.type.endsWith('/*'));
}

/** Returns the kind that a clause requests, in parts where it is incomplete; `undefined` without any part. */
export function requestedKindOf({ parameters }: MediaType): RequestedKind | undefined {
  const [group = '', version = '', kind = ''] = ['g', 'v', 'as'].map((name) => parameters.get(name));
  return group === '' && version === '' && kind === '' ? undefined : { group, version, kind };
}

/** Support for the parameters `stream` and `sv` of clauses. */
export interface ParameterSupport {
  readonly canStream: boolean;
  /** Version of Kubernetes' own types, such as Status and Table, where clients may choose it. */
  readonly serverVersion?: string;
}

/** True when the parameters `stream` and `sv` of a clause can be satisfied. Watches are the only streams. */
export function supportsParameters(
  { parameters }: MediaType,
  { canStream, serverVersion = '' }: ParameterSupport,
): boolean {
  const [stream = '', version = ''] = ['stream', 'sv'].map((name) => parameters.get(name));
  return (stream === '' || (stream === 'watch' && canStream)) && (version === '' || version === serverVersion);
}

export interface RequestedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
