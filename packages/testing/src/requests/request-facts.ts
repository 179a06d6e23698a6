import { readRequestInfo } from '@pintle/apiserver/request';
import type { TransportRequest } from '@pintle/client';

/** Attributes of a request, as authorization names them. */
export interface RequestFacts {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural. Empty for paths that are no resource: discovery, health. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** True for requests that change something; false for dry runs. */
  readonly isWrite: boolean;
}

/** Verbs that change nothing; the empty one is for requests without a verb. */
const READS = new Set(['get', 'list', 'watch', '']);

export function factsOf({ method, path, query = '' }: TransportRequest): RequestFacts {
  const parameters = new URLSearchParams(query);
  const info = readRequestInfo({ method, path }, parameters);
  if (info.kind === 'path') return { ...NOTHING, verb: info.verb };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  const isWrite = !READS.has(verb) && !parameters.has('dryRun');
  return { verb, group, version, resource, subresource, namespace, name, isWrite };
}

const NOTHING = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '', isWrite: false };
