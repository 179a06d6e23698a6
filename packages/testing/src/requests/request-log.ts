import type { TransportRequest } from '@pintle/client';
import { type JsonValue, parseJson, trustedLimits } from '@pintle/machinery/json';
import { formatMicroTime } from '@pintle/machinery/time';
import { isGranted, type Permission, type PolicyRule, permissionOf } from './permissions.ts';
import type { RequestFacts } from './request-facts.ts';

/** One request with its outcome. */
export interface RequestEntry extends RequestFacts {
  readonly sequence: number;
  /** Time of the request, by the plane's clock. */
  readonly atMs: number;
  /** Sender: `test`, `kube-controller-manager`, or the name of an operator or a user. */
  readonly actor: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: JsonValue | undefined;
  /** `undefined` while the request is under way, and when there was no response. */
  readonly status: number | undefined;
  /** Name of the fault that was applied. */
  readonly fault: string | undefined;
}

/** Selects requests for which every given field matches. */
export interface RequestFilter {
  readonly actor?: string;
  readonly verb?: string | readonly string[];
  readonly group?: string;
  /** `fruits`, or with its subresource: `fruits/status`. A bare name is for the resource alone; `fruits/*` is for both. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Resources that every operator writes all the time. Their writes count only when a filter names them. */
const EPHEMERAL_RESOURCES = new Set(['events', 'leases']);

const TAIL_WIDTH = 300;

/** All requests to the server, in their order. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];

  /** Returns requests that match, oldest first. */
  all(filter: RequestFilter = {}): readonly RequestEntry[] {
    return this.#entries.filter((entry) => matches(entry, filter));
  }

  /** Returns writes that were not refused. Those of events and leases count only when the filter names the resource. */
  writes(filter: RequestFilter = {}): readonly RequestEntry[] {
    const resource = filter.resource?.split('/')[0] ?? '';
    return this.all(filter).filter(
      (entry) =>
        entry.isWrite &&
        (entry.status === undefined || entry.status < 300) &&
        (!EPHEMERAL_RESOURCES.has(entry.resource) || resource === entry.resource),
    );
  }

  /** Number of requests, to be passed to `since` later. */
  get length(): number {
    return this.#entries.length;
  }

  /** Returns the requests after the first `count` as a log that does not grow. */
  since(count: number): RequestLog {
    const rest = new RequestLog();
    rest.#entries.push(...this.#entries.slice(count));
    return rest;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Throws with a list of the writes unless there are exactly `count`. */
  assertWrites(count: number, filter: RequestFilter = {}): void {
    const found = this.writes(filter);
    if (found.length === count) return;
    const writes = found.map(describeRequest).join('\n  ');
    throw new Error(
      `Expected ${count} writes${describeFilter(filter)}, found ${found.length}${writes && `:\n  ${writes}`}`,
    );
  }

  /** Returns the rights that the requests needed, each once, sorted. */
  permissions(filter: RequestFilter = {}): readonly Permission[] {
    const found = new Map<string, Permission>();
    for (const entry of this.all(filter)) {
      if (entry.resource === '') continue;
      const permission = permissionOf(entry);
      found.set(JSON.stringify(permission), permission);
    }
    return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, permission]) => permission);
  }

  /** Throws with a list of rights that were needed and that the rules of a role do not grant. */
  assertGranted(rules: readonly PolicyRule[], filter: RequestFilter = {}): void {
    const missing = this.permissions(filter).filter((permission) => !isGranted(permission, rules));
    if (missing.length === 0) return;
    const rights = missing.map(({ verb, group, resource }) => `${verb} ${resource}${group && `.${group}`}`);
    throw new Error(`The rules do not grant what was done${describeFilter(filter)}:\n  ${rights.join('\n  ')}`);
  }

  /** Throws when requests were refused with 403, with a list of the rights that a role lacks. */
  assertAllowed(filter: RequestFilter = {}): void {
    const refused = this.all(filter).filter(({ status }) => status === 403);
    const rights = new Set(
      refused.map(({ verb, resource, subresource, group, namespace, name }) => {
        const qualified = `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`;
        return `${verb} ${qualified}${name && ` ${name}`}${namespace && ` in ${namespace}`}`;
      }),
    );
    if (rights.size === 0) return;
    throw new Error(`Forbidden${describeFilter(filter)}:\n  ${[...rights].join('\n  ')}`);
  }

  /** Returns one line a request. Two runs with the same seed and a stepped clock give the same text. */
  toString(): string {
    return this.#entries.map((entry) => `${describeRequest(entry)}\n`).join('');
  }

  /** Returns the last lines, each cut to 300 characters. */
  tail(count: number, isShown: (entry: RequestEntry) => boolean = () => true): string {
    const shown = this.#entries.filter(isShown).slice(-count);
    const lines = shown.map((entry) => `  ${describeRequest(entry).slice(0, TAIL_WIDTH)}`);
    return lines.join('\n');
  }

  /** @internal */
  begin(request: TransportRequest, facts: RequestFacts, actor: string, atMs: number): LoggedRequest {
    const entry = new LoggedRequest(request, facts, { sequence: this.#entries.length, actor, atMs });
    this.#entries.push(entry);
    return entry;
  }
}

export class LoggedRequest implements RequestEntry {
  readonly sequence: number;
  readonly atMs: number;
  readonly actor: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isWrite: boolean;
  readonly #body: Uint8Array | undefined;
  status: number | undefined;
  fault: string | undefined;

  constructor(
    { method, path, query = '', body }: TransportRequest,
    facts: RequestFacts,
    about: Pick<RequestEntry, 'sequence' | 'actor' | 'atMs'>,
  ) {
    this.sequence = about.sequence;
    this.atMs = about.atMs;
    this.actor = about.actor;
    this.method = method;
    this.path = path;
    this.query = query;
    this.verb = facts.verb;
    this.group = facts.group;
    this.version = facts.version;
    this.resource = facts.resource;
    this.subresource = facts.subresource;
    this.namespace = facts.namespace;
    this.name = facts.name;
    this.isWrite = facts.isWrite;
    this.#body = body;
  }

  get body(): JsonValue | undefined {
    if (this.#body === undefined || this.#body.length === 0) return undefined;
    try {
      return parseJson(this.#body, trustedLimits);
    } catch {
      return Buffer.from(this.#body).toString();
    }
  }

  get bodyText(): string {
    return this.#body === undefined ? '' : Buffer.from(this.#body).toString();
  }
}

export function matches(entry: RequestFacts & { readonly actor: string }, filter: RequestFilter): boolean {
  const { actor, verb, group, resource, namespace, name } = filter;
  return (
    (actor === undefined || entry.actor === actor) &&
    (verb === undefined || (typeof verb === 'string' ? entry.verb === verb : verb.includes(entry.verb))) &&
    (group === undefined || entry.group === group) &&
    (resource === undefined || matchesResource(entry, resource)) &&
    (namespace === undefined || entry.namespace === namespace) &&
    (name === undefined || entry.name === name)
  );
}

function matchesResource(entry: RequestFacts, wanted: string): boolean {
  const [resource, subresource = ''] = wanted.split('/');
  return entry.resource === resource && (subresource === '*' || entry.subresource === subresource);
}

function describeRequest(entry: LoggedRequest | RequestEntry): string {
  const { sequence, atMs, actor, method, path, query, status, fault } = entry;
  const time = formatMicroTime(atMs * 1_000);
  const url = query === '' ? path : `${path}?${query}`;
  const body = entry instanceof LoggedRequest ? entry.bodyText : '';
  const words = [String(sequence).padStart(5, '0'), time, actor, method, url, `${status ?? '-'}`];
  return [...words, ...(fault === undefined ? [] : [`[${fault}]`]), ...(body === '' ? [] : [body])].join(' ');
}

function describeFilter(filter: RequestFilter): string {
  const words = Object.entries(filter).map(([name, value]) => `${name} ${[value].flat().join(' or ')}`);
  return words.length === 0 ? '' : ` of ${words.join(', ')}`;
}
