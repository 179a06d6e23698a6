import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { PathRequest, ResourceRequest, Verb } from '../request/request-info.ts';

/** What tells requests apart in metrics. Every value is one of a known set, whatever clients send. */
export interface RequestLabels {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: 'apiserver';
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options']);
const VERBS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  proxy: 'CONNECT',
  'unsafe-delete-ignore-read-errors': 'DELETE',
  '': 'OTHER',
};
const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const PATHS = ['/api', '/apis', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];

export function labelsOf(state: RequestState, catalog: DiscoveryCatalog): RequestLabels {
  const { info } = state;
  return info.kind === 'path' ? ofPath(info) : ofResource(state, info, catalog);
}

function ofPath({ verb, path }: PathRequest): RequestLabels {
  const known = PATHS.find((candidate) => path === candidate || path.startsWith(`${candidate}/`)) ?? '';
  return {
    verb: METHODS.has(verb) ? verb.toUpperCase() : 'OTHER',
    dry_run: '',
    group: '',
    version: '',
    resource: '',
    subresource: known,
    scope: '',
    component: 'apiserver',
  };
}

/** What is not served goes without a name. */
function ofResource(state: RequestState, info: ResourceRequest, catalog: DiscoveryCatalog): RequestLabels {
  const found = catalog.resource(info);
  return {
    verb: verbOf(state, info),
    dry_run: dryRunOf(state.query),
    group: found ? info.group : '',
    version: found ? info.version : '',
    resource: found?.resource ?? '',
    subresource: found?.subresources.some(({ subresource }) => subresource === info.subresource)
      ? info.subresource
      : '',
    scope: scopeOf(info),
    component: 'apiserver',
  };
}

function verbOf({ request }: RequestState, { verb, subresource }: ResourceRequest): string {
  if (CONNECTIONS.has(subresource)) return 'CONNECT';
  const type = request.headers['content-type'];
  if (verb === 'patch' && typeof type === 'string' && type.startsWith('application/apply-patch')) return 'APPLY';
  return VERBS[verb];
}

function dryRunOf(query: URLSearchParams): string {
  const values = query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

function scopeOf({ name, verb, namespace }: ResourceRequest): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
