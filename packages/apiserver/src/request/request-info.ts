import { badRequestError, quote } from '@pintle/machinery/errors';
import { pathSegmentName } from '@pintle/machinery/names';
import { table } from '@pintle/machinery/table';
import type { ApiRequest } from './exchange.ts';

/** Empty for methods without a Kubernetes verb: only `*` in a role allows them. */
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
  /** Deletes unreadable objects. No request has this verb; it is authorized in addition to `delete`. */
  | 'unsafe-delete-ignore-read-errors'
  | '';

/** A request for a resource: verb and target. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** True for an empty namespace in the path, as in `namespaces//pods`, which means all namespaces. */
  readonly isNamespaceEmpty?: true;
  /** True for namespaces within a namespace, as in `namespaces/a/namespaces/a`, which do not exist. */
  readonly isNamespaceNested?: true;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Name for authorization: that of the selector `metadata.name=x` in a list or watch, otherwise `name`. */
  readonly authorizedName: string;
  /** Node of the selector `spec.nodeName=x` in a list or watch of pods or resource slices. */
  readonly selectedNode?: string;
  /** Path segments after the subresource, as in `proxy/some/path`. */
  readonly rest: readonly string[];
}

/** A request for another path: discovery, health, metrics. */
export interface PathRequest {
  readonly kind: 'path';
  /** HTTP method in lower case, as in rules for nonResourceURLs. */
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** Subresources of a namespace; any other segment there is a resource in the namespace. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const METHOD_VERBS: Readonly<Record<string, Verb>> = table({
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
});

/** A path with invalid percent-encoding. */
export class MalformedPath extends Error {
  override readonly name = 'MalformedPath';
}

/** A path that ends after `watch` or `proxy`, without a resource. */
export class IncompletePath extends Error {
  override readonly name = 'IncompletePath';
}

/**
 * Reads the verb and the target of a request from its URL:
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
  const actualVerb = collectionVerb(verb, name, query);
  const authorizedName = name === '' ? selectedName(actualVerb, query) : name;
  const target = { verb: actualVerb, namespace, resource, name, authorizedName, subresource, rest };
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

/** Returns the node that a field selector requires. */
export function nodeIn(fieldSelector: string): string | undefined {
  const terms = fieldSelector.split(',');
  return terms.map((term) => /^spec\.nodeName==?([^=!\\]+)$/.exec(term)?.[1]).find((node) => node !== undefined);
}

/** Without a name, get is a list or a watch, and delete is a deletecollection. */
function collectionVerb(verb: Verb, name: string, query: URLSearchParams): Verb {
  if (verb === 'get' && name === '') return isTrue(query.get('watch')) ? 'watch' : 'list';
  if (verb === 'delete' && name === '') return 'deletecollection';
  return verb;
}

/** Returns the name that a field selector requires, empty when it requires none or contains escapes. */
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

/** Parses a boolean parameter as Go's decoding of a *bool does: only `0` and `false` are false. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Decodes percent-encoding. Bytes that are not UTF-8 become replacement characters, which match no name. */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  const bytes = decodePercentBytes(path);
  if (bytes === undefined) {
    throw new MalformedPath(`Cannot read the path: ${JSON.stringify(path)} is not valid percent-encoding`);
  }
  return Buffer.from(bytes, 'latin1').toString();
}

/**
 * Splits a decoded path, as Go does, so that authorization and serving see the same segments. Ignores slashes at its end; two
 * slashes elsewhere enclose an empty segment, which matches no name.
 */
function splitPath(path: string): string[] {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(1, end).split('/');
}

const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** Paths that are answered with a stream, where a handler serves them. */
const LONG_PATHS: ReadonlySet<string> = new Set(['/console/reports']);

/** True for requests without a deadline, such as watches, which do not count as requests in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.kind === 'path') return LONG_PATHS.has(info.path);
  return info.verb === 'watch' || info.verb === 'proxy' || LONG_SUBRESOURCES.has(info.subresource);
}

/** True when a watch sends the existing objects first. */
export function beginsWithAll(query: URLSearchParams): boolean {
  const sent = query.get('sendInitialEvents');
  if (sent !== null) return sent === 'true';
  const version = query.get('resourceVersion');
  return version === null || version === '' || version === '0';
}

/** Parsed URL of a request. Shared by requests with the same method and URL: never modified. */
interface RequestTarget {
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
}

/**
 * Parses the URLs of requests, and caches the recent ones: clients repeat them, and parsing a URL takes longer than finding
 * its object.
 */
export class RequestTargets {
  static readonly #maxRemembered = 1_024;
  static readonly #maxLength = 512;
  #recent = new Map<string, RequestTarget>();
  /** The previous generation of `#recent`. Targets that are used again return to `#recent`. */
  #older = new Map<string, RequestTarget>();

  /** Throws `MalformedPath`. */
  of({ method, path, query }: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestTarget {
    // Most requests are a GET without a query. No other key begins with a slash.
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
  // URLSearchParams removes a leading question mark; the empty part before it prevents that.
  const query = new URLSearchParams(`&${withoutUnreadable(text)}`);
  return { query, info: readRequestInfo({ method, path }, query) };
}

/** Removes parameters with a semicolon or with invalid percent-encoding, as Go does. */
function withoutUnreadable(query: string): string {
  if (!UNREADABLE.test(query)) return query;
  return query
    .split('&')
    .filter((part) => !UNREADABLE.test(part))
    .join('&');
}

const UNREADABLE = /;|%(?![0-9a-f]{2})/i;

/**
 * Decodes percent-encoded text of a client; `undefined` when an escape is not two hexadecimal digits or the bytes are not
 * UTF-8. Nothing else decodes such text.
 */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes to one character of U+0000 to U+00FF for each byte; `undefined` when an escape is not two hexadecimal digits. */
export function decodePercentBytes(text: string): string | undefined {
  if (!hasOnlyWholeEscapes(text)) return undefined;
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(/%(..)/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function hasOnlyWholeEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

/** Throws 400 for a name that cannot be a path segment. */
export function guardName(name: string): void {
  const why = name === '.' || name === '..' ? `may not be '${name}'` : name.includes('%') && "may not contain '%'";
  if (why) throw badRequestError(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

/** Throws 400 for a reference whose name is missing or cannot be a path segment. */
export function guardReferredName(name: string): void {
  if (name === '') throw badRequestError('Name parameter required.');
  const wrong = pathSegmentName(name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${quote(name)}: ${wrong.join(';')}`);
}
