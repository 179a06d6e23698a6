import { serverResponseError } from '@pintle/machinery/errors';
import type { ApiRequest } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import { isTrue } from '../request/request-info.ts';

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

/** A media type with its parameters, as in `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export interface MediaType {
  readonly type: string;
  /** As it was sent: `*` alone is every type, but not in these words. */
  readonly written: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** How much a client wants it, from 0 to 1. */
  readonly quality: number;
}

const MAX_CLAUSES = 64;

/** Reads one media type; `undefined` when it is not `type/subtype`, or its parameters are not written as those are. */
export function parseMediaType(text: string): MediaType | undefined {
  const read = hasReadableParameters(text) ? parseClause(text) : undefined;
  return read && { ...read, type: read.type.toLowerCase() };
}

/** Each is `name=value`; one semicolon at the end is forgiven. */
function hasReadableParameters(text: string): boolean {
  const [, ...parts] = text.split(';');
  if (parts.at(-1)?.trim() === '') parts.pop();
  return parts.every((part) => PARAMETER.test(part));
}

const PARAMETER = /^\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")\s*$/;

/** As `parseMediaType`, all as it was written: Kubernetes takes an Accept header literally, to the quotes of values. */
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

/** Accept headers met lately: a client sends the same ones all the time. When it is full it starts over. */
const accepted = new Map<string, readonly MediaType[]>();
const MAX_ACCEPTED = 256;
const MAX_ACCEPTED_LENGTH = 512;

/** The clauses of an Accept header, best first. Unreadable clauses are left out. */
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
    // Each goes forward past those it is preferred to, and no further, as Kubernetes sorts them.
    let at = clauses.length;
    while (at > 0 && isPreferred(clause, clauses[at - 1]!)) at--;
    clauses.splice(at, 0, clause);
  }
  return clauses;
}

/** What is wanted more comes first, and so does what is named before what is not; equals keep their order. */
function isPreferred(a: MediaType, b: MediaType): boolean {
  if (a.quality > b.quality) return true;
  return (!a.type.startsWith('*/') && b.type.startsWith('*/')) || (!a.type.endsWith('/*') && b.type.endsWith('/*'));
}

/** The shape that a clause asks for; any part of one asks for a shape, if only for one that there is not. */
export function shapeOf({ parameters }: MediaType): Shape | undefined {
  const [group = '', version = '', kind = ''] = ['g', 'v', 'as'].map((name) => parameters.get(name));
  return group === '' && version === '' && kind === '' ? undefined : { group, version, kind };
}

/** What answers can be that clauses may insist on by `stream` and `sv`. */
export interface Insistence {
  readonly canStream: boolean;
  /** The version of Kubernetes' own types, such as Status and Table, where that may be chosen. */
  readonly serverVersion?: string;
}

/** Whether what a clause insists on can be kept. Watches are the only streams. */
export function canKeep({ parameters }: MediaType, { canStream, serverVersion = '' }: Insistence): boolean {
  const [stream = '', version = ''] = ['stream', 'sv'].map((name) => parameters.get(name));
  return (stream === '' || (stream === 'watch' && canStream)) && (version === '' || version === serverVersion);
}

export interface Shape {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
