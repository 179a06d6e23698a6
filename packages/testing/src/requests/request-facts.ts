import { readRequestInfo } from '@pintle/apiserver/request';
import type { TransportRequest } from '@pintle/client';

/** What a request asks for, as authorization would name it. */
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
  /** It means to change something, and not just to try. */
  readonly isWrite: boolean;
}

/** And what is no verb at all, which changes nothing. */
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
