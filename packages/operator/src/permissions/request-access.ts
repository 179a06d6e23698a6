import type { TransportRequest } from '@pintle/client';

/** One verb on one resource, as in RBAC. */
export interface ResourceAccess {
  readonly group: string;
  /** With its subresource: `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
  readonly isNamespaced: boolean;
  /** Restricts the access to a namespace. */
  readonly namespace?: string;
  /** Restricts the access to one object. */
  readonly name?: string;
}

/** Returns the access that a request needs; `undefined` for requests without a resource, such as discovery. */
export function accessOf({ method, path, query }: TransportRequest): ResourceAccess | undefined {
  const [root, ...parts] = path.split('/').slice(1).map(decodeURIComponent);
  const group = root === 'api' ? '' : root === 'apis' ? parts.shift() : undefined;
  const version = parts.shift();
  if (group === undefined || version === undefined || parts.length === 0) return undefined;
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_PARTS.has(parts[2]!);
  const [plural = '', name, ...subresource] = isNamespaced ? parts.slice(2) : parts;
  const resource = subresource.length === 0 ? plural : `${plural}/${subresource[0]}`;
  const namespace = isNamespaced ? { namespace: parts[1]! } : {};
  const one = name ?? selectedName(query);
  const named = one === undefined ? {} : { name: one };
  return { group, resource, verb: verbOf(method, name, query), isNamespaced, ...namespace, ...named };
}

/** Returns the object name of a list or watch with a field selector for it; servers authorize by that name. */
function selectedName(query: string | undefined): string | undefined {
  if (!query?.includes('fieldSelector=')) return undefined;
  const terms = new URLSearchParams(query).get('fieldSelector')?.split(',') ?? [];
  return terms.flatMap((term) => /^metadata\.name==?([^=].*)$/.exec(term)?.[1] ?? [])[0];
}

/** Subresources of namespaces, which look like resources in the namespace. */
const NAMESPACE_PARTS = new Set(['status', 'finalize']);

function verbOf(method: string, name: string | undefined, query: string | undefined): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      if (new URLSearchParams(query).get('watch') === 'true') return 'watch';
      return name === undefined ? 'list' : 'get';
  }
}
