import { table } from '@pintle/machinery/table';
import type { ApiRequest } from './exchange.ts';
import { decodePercentBytes } from './percent-encoding.ts';

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
