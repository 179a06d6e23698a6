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
