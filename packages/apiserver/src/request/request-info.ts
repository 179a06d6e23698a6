import { table } from '@pintle/machinery/table';
import type { ApiRequest } from './exchange.ts';

/** Empty for a method that Kubernetes has no word for: nobody is allowed that but who is allowed everything. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  /** To delete what cannot be read. No request has it; it is asked for beside `delete`. */
  | 'unsafe-delete-ignore-read-errors'
  | '';

/** A request for a part of the API: what is asked of which resource. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The path has a place for a namespace and nothing in it, as in `namespaces//pods`: that means all of them. */
  readonly isNamespaceEmpty?: true;
  /** Namespaces are asked for within one, as in `namespaces/a/namespaces/a`, where there are none. */
  readonly isNamespaceNested?: true;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The one object a list or watch asks for with `metadata.name=x`, which is what it is authorized for; else `name`. */
  readonly authorizedName: string;
  /** The one node that a request for many pods or resource slices is confined to with `spec.nodeName=x`. */
  readonly selectedNode?: string;
  /** What follows the subresource, as `proxy/some/path`. */
  readonly rest: readonly string[];
}

/** A request for anything else: discovery, health, metrics. */
export interface PathRequest {
  readonly kind: 'path';
  /** The HTTP method in lower case, which is what permissions on paths are written in. */
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** Subresources of a namespace; any other word in that place is a resource inside it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const METHOD_VERBS: Readonly<Record<string, Verb>> = table({
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
});

/** A path that cannot be read: a segment is not valid percent-encoding. */
export class MalformedPath extends Error {
  override readonly name = 'MalformedPath';
}

/** A path that ends where it should say what is to be watched. */
export class IncompletePath extends Error {
  override readonly name = 'IncompletePath';
}

/**
 * Reads from the URL what a request is about:
 *
 *     /api/v1/namespaces/default/pods/web/status          get pods/status "web" in default
 *     /apis/apps/v1/deployments?watch=true                watch deployments everywhere
 *     /version                                            a path
 */
export function readRequestInfo(request: Pick<ApiRequest, 'method' | 'path'>, query: URLSearchParams): RequestInfo {
  const path = decodePath(request.path);
  const asPath: PathRequest = { kind: 'path', verb: request.method.toLowerCase(), path };
  const segments = splitPath(path);
  const root = segments[0];
  if (root !== 'api' && root !== 'apis') return asPath;
  const groupSegments = root === 'api' ? 2 : 3;
  if (segments.length <= groupSegments) return asPath;

  const group = root === 'api' ? '' : segments[1]!;
  const version = segments[groupSegments - 1]!;
  let rest = segments.slice(groupSegments);
  let verb = METHOD_VERBS[request.method] ?? '';
  if (rest[0] === 'watch' || rest[0] === 'proxy') {
    if (rest.length === 1) throw new IncompletePath('unable to determine kind and namespace from url');
    verb = rest[0];
    rest = rest.slice(1);
  }
  return { kind: 'resource', group, version, ...readTarget(rest, verb, query) };
}

type Target = Omit<ResourceRequest, 'kind' | 'group' | 'version'>;

function readTarget(segments: readonly string[], verb: Verb, query: URLSearchParams): Target {
  let namespace = '';
  let parts = segments;
  let isNamespaceEmpty = false;
  let isNamespaceNested = false;
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1]!;
    if (parts.length > 2 && !(NAMESPACE_SUBRESOURCES.has(parts[2]!) && parts.length === 3)) {
      parts = parts.slice(2);
      isNamespaceEmpty = namespace === '';
      isNamespaceNested = parts[0] === 'namespaces';
    }
  }
  const [resource = '', name = '', subresource = '', ...rest] = parts;
  const settled = settleVerb(verb, name, query);
  const authorizedName = name === '' ? selectedName(settled, query) : name;
  const target = { verb: settled, namespace, resource, name, authorizedName, subresource, rest };
  const selectedNode = ON_NODES.has(resource) && name === '' ? nodeIn(query.get('fieldSelector') ?? '') : undefined;
  if (selectedNode === undefined && !isNamespaceEmpty && !isNamespaceNested) return target;
  return {
    ...target,
    ...(selectedNode !== undefined && { selectedNode }),
    ...(isNamespaceEmpty && { isNamespaceEmpty }),
    ...(isNamespaceNested && { isNamespaceNested }),
  };
}

const ON_NODES: ReadonlySet<string> = new Set(['pods', 'resourceslices']);

/** The node that a field selector leaves as the only one. */
export function nodeIn(fieldSelector: string): string | undefined {
  const terms = fieldSelector.split(',');
  return terms.map((term) => /^spec\.nodeName==?([^=!\\]+)$/.exec(term)?.[1]).find((node) => node !== undefined);
}

/** Without a name, get is a list or a watch, and delete is a deletecollection. */
function settleVerb(verb: Verb, name: string, query: URLSearchParams): Verb {
  if (verb === 'get' && name === '') return isTrue(query.get('watch')) ? 'watch' : 'list';
  if (verb === 'delete' && name === '') return 'deletecollection';
  return verb;
}

/** Only a selector that leaves no choice names an object; escapes are not read, so what holds some names none. */
function selectedName(verb: Verb, query: URLSearchParams): string {
  if (verb !== 'list' && verb !== 'watch') return '';
  const selector = query.get('fieldSelector') ?? '';
  if (selector === '' || selector.includes('\\')) return '';
  for (const term of selector.split(',')) {
    const name = /^metadata\.name==?([^=!%/]+)$/.exec(term)?.[1];
    if (name !== undefined && name !== '.' && name !== '..') return name;
  }
  return '';
}

/** What Go's url decoding of a *bool accepts as true: anything but these. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Bytes that are no text are a path all the same: nothing is called that. */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  const bytes = decodePercentBytes(path);
  if (bytes === undefined) {
    throw new MalformedPath(`Cannot read the path: ${JSON.stringify(path)} is not valid percent-encoding`);
  }
  return Buffer.from(bytes, 'latin1').toString();
}

/**
 * The path is decoded before it is cut, as Go does: what is authorized and what is served are cut at the same places.
 * Slashes at its end mean nothing; between two others lies a segment without a name, and nothing is called that.
 */
function splitPath(path: string): string[] {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(1, end).split('/');
}

const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** True for requests that last as long as their client likes: no deadline, and not counted among those in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.kind === 'path') return false;
  return info.verb === 'watch' || info.verb === 'proxy' || LONG_SUBRESOURCES.has(info.subresource);
}

/** Whether a watch begins with what is there. */
export function beginsWithAll(query: URLSearchParams): boolean {
  const sent = query.get('sendInitialEvents');
  if (sent !== null) return sent === 'true';
  const version = query.get('resourceVersion');
  return version === null || version === '' || version === '0';
}

/** What a method and a URL ask for. Shared by all requests that ask the same: nobody changes any of it. */
interface RequestTarget {
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
}

/**
 * Reads what requests ask for, and remembers what was asked lately: clients ask for the same things again and again, and
 * reading a URL takes longer than looking up the object it names.
 */
export class RequestTargets {
  static readonly #maxRemembered = 1_024;
  static readonly #maxLength = 512;
  #recent = new Map<string, RequestTarget>();
  /** Those that `#recent` had no room for any more. What is asked for once more comes back from here. */
  #older = new Map<string, RequestTarget>();

  /** Throws `MalformedPath`. */
  of({ method, path, query }: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestTarget {
    // Most requests read, and ask no more than the path says: no other key begins with a slash.
    const key = method === 'GET' && query === '' ? path : `${method} ${path}?${query}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const target = this.#older.get(key) ?? read(method, path, query);
    if (key.length <= RequestTargets.#maxLength) this.#remember(key, target);
    return target;
  }

  #remember(key: string, target: RequestTarget): void {
    if (this.#recent.size >= RequestTargets.#maxRemembered) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, target);
  }
}

function read(method: string, path: string, text: string): RequestTarget {
  // A question mark at its beginning would be taken for the one before it: an empty part keeps them apart.
  const query = new URLSearchParams(`&${withoutUnreadable(text)}`);
  return { query, info: readRequestInfo({ method, path }, query) };
}

/** Parts with a semicolon, or whose percent-encoding is not valid, are as if they were not there. */
function withoutUnreadable(query: string): string {
  if (!UNREADABLE.test(query)) return query;
  return query
    .split('&')
    .filter((part) => !UNREADABLE.test(part))
    .join('&');
}

const UNREADABLE = /;|%(?![0-9a-f]{2})/i;

/**
 * The text that a client's percent-encoding stands for; `undefined` when it stands for none: an escape is not two
 * hexadecimal digits, or the bytes are not UTF-8. The only place that decodes a client's words.
 */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** One character of U+0000 to U+00FF for each byte; `undefined` when an escape is not two hexadecimal digits. */
export function decodePercentBytes(text: string): string | undefined {
  if (!hasOnlyWholeEscapes(text)) return undefined;
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(/%(..)/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function hasOnlyWholeEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}
