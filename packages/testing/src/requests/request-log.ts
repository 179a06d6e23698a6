import type { TransportRequest } from '@pintle/client';
import { type JsonValue, parseJson, trustedLimits } from '@pintle/machinery/json';
import { formatMicroTime } from '@pintle/machinery/time';
import { isGranted, type Permission, type PolicyRule, permissionOf } from './permissions.ts';
import type { RequestFacts } from './request-facts.ts';

/** One request, and what became of it. */
export interface RequestEntry extends RequestFacts {
  readonly sequence: number;
  /** By the plane's clock. */
  readonly atMs: number;
  /** Which part of the test sent it: `test`, `controllers`, an operator's or a user's name. */
  readonly actor: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: JsonValue | undefined;
  /** `undefined` while it is under way, and when there was no answer. */
  readonly status: number | undefined;
  /** The fault that was put in its way. */
  readonly fault: string | undefined;
}

/** Every word of it must fit; what is left out fits anything. */
export interface RequestFilter {
  readonly actor?: string;
  readonly verb?: string | readonly string[];
  readonly group?: string;
  /** `fruits`, or with its subresource: `fruits/status`. A bare name is for the resource alone; `fruits/*` is for both. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Said again and again by whoever lives, and of no lasting effect: they count only where a filter names them. */
const TOLD_NOT_KEPT = new Set(['events', 'leases']);

const TAIL_WIDTH = 300;

/** What was asked of the server, in the order it was asked. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];

  /** All that fit, oldest first. */
  all(filter: RequestFilter = {}): readonly RequestEntry[] {
    return this.#entries.filter((entry) => fits(entry, filter));
  }

  /** What changed something, or would have: writes that were not refused. Events and leases count only where the filter says so. */
  writes(filter: RequestFilter = {}): readonly RequestEntry[] {
    const resource = filter.resource?.split('/')[0] ?? '';
    return this.all(filter).filter(
      (entry) =>
        entry.isWrite &&
        (entry.status === undefined || entry.status < 300) &&
        (!TOLD_NOT_KEPT.has(entry.resource) || resource === entry.resource),
    );
  }

  /** How many there are: a place to look from. */
  get length(): number {
    return this.#entries.length;
  }

  /** What follows a place, as a log of its own that grows no more. */
  since(place: number): RequestLog {
    const rest = new RequestLog();
    rest.#entries.push(...this.#entries.slice(place));
    return rest;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Throws, and lists what was written, unless there are exactly so many writes. */
  assertWrites(count: number, filter: RequestFilter = {}): void {
    const found = this.writes(filter);
    if (found.length === count) return;
    const told = found.map(describeRequest).join('\n  ');
    throw new Error(
      `Expected ${count} writes${describeFilter(filter)}, found ${found.length}${told && `:\n  ${told}`}`,
    );
  }

  /** What somebody has needed the right to do, each once, sorted. */
  permissions(filter: RequestFilter = {}): readonly Permission[] {
    const found = new Map<string, Permission>();
    for (const entry of this.all(filter)) {
      if (entry.resource === '') continue;
      const permission = permissionOf(entry);
      found.set(JSON.stringify(permission), permission);
    }
    return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, permission]) => permission);
  }

  /** Throws, and lists them, when somebody did what the rules of a role do not grant. */
  assertGranted(rules: readonly PolicyRule[], filter: RequestFilter = {}): void {
    const missing = this.permissions(filter).filter((permission) => !isGranted(permission, rules));
    if (missing.length === 0) return;
    const told = missing.map(({ verb, group, resource }) => `${verb} ${resource}${group && `.${group}`}`);
    throw new Error(`The rules do not grant what was done${describeFilter(filter)}:\n  ${told.join('\n  ')}`);
  }

  /** Throws when requests were answered with 403, and lists what a role would have to allow. */
  assertAllowed(filter: RequestFilter = {}): void {
    const refused = this.all(filter).filter(({ status }) => status === 403);
    const told = new Set(
      refused.map(({ verb, resource, subresource, group, namespace, name }) => {
        const what = `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`;
        return `${verb} ${what}${name && ` ${name}`}${namespace && ` in ${namespace}`}`;
      }),
    );
    if (told.size === 0) return;
    throw new Error(`Forbidden${describeFilter(filter)}:\n  ${[...told].join('\n  ')}`);
  }

  /** One line for each request: equal for two runs with the same seed and a stepped clock. */
  toString(): string {
    return this.#entries.map((entry) => `${describeRequest(entry)}\n`).join('');
  }

  /** The last so many lines, cut where they are long. */
  tail(count: number, isTold: (entry: RequestEntry) => boolean = () => true): string {
    const told = this.#entries.filter(isTold).slice(-count);
    const lines = told.map((entry) => `  ${describeRequest(entry).slice(0, TAIL_WIDTH)}`);
    return lines.join('\n');
  }

  /** For the wire alone. */
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

export function fits(entry: RequestFacts & { readonly actor: string }, filter: RequestFilter): boolean {
  const { actor, verb, group, resource, namespace, name } = filter;
  return (
    (actor === undefined || entry.actor === actor) &&
    (verb === undefined || (typeof verb === 'string' ? entry.verb === verb : verb.includes(entry.verb))) &&
    (group === undefined || entry.group === group) &&
    (resource === undefined || fitsResource(entry, resource)) &&
    (namespace === undefined || entry.namespace === namespace) &&
    (name === undefined || entry.name === name)
  );
}

function fitsResource(entry: RequestFacts, wanted: string): boolean {
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
