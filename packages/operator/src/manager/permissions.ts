import { channel } from 'node:diagnostics_channel';
import type { Interceptor, TransportRequest, TransportResponse } from '@pintle/client';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { ResourceType } from '@pintle/machinery';
import type { Use } from './request-use.ts';
import { useOf } from './request-use.ts';

/**
 * Tells whoever subscribes of every verb on every resource that a manager was seen to use, as a `Use`, once each:
 * `pintle observe` writes roles from it. Whoever does not subscribe pays nothing.
 */
const seen = channel('pintle:use');

/** Every verb on every resource that was declared or seen in a request, each once. */
export class Permissions {
  readonly #uses = new Map<string, Use>();
  readonly #isTold: boolean;
  /** Requests repeat themselves; what they ask for is worked out once for all names. */
  readonly #seen = new Set<string>();

  /** `isTold`: whether others hear of what is seen here. */
  constructor({ isTold = true }: { readonly isTold?: boolean } = {}) {
    this.#isTold = isTold;
  }

  declare({ group, plural, scope }: ResourceType, verbs: readonly string[], subresource?: string): void {
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    for (const verb of verbs) this.#add({ group, resource, verb, isNamespaced: scope === 'Namespaced' });
  }

  /** Only in one namespace: requests there need no more. */
  declareIn(namespace: string, { group, plural }: ResourceType, verbs: readonly string[]): void {
    for (const verb of verbs) this.#add({ group, resource: plural, verb, isNamespaced: true, namespace });
  }

  /** Sees what is asked for. An apply that made an object has also created. */
  readonly watch: Interceptor = async (request, next) => {
    this.#see(request, undefined);
    const response = await next(request);
    if (request.method === 'PATCH' && response.status === 201) this.#see(request, response);
    return response;
  };

  uses(): Use[] {
    return [...this.#uses.values()];
  }

  /** The fewest rules that allow what `isMeant` picks. */
  rules(isMeant: (use: Use) => boolean = () => true): PolicyRule[] {
    const verbs = new Map<string, { group: string; resource: string; verbs: Set<string> }>();
    for (const use of this.#uses.values()) {
      if (!isMeant(use)) continue;
      const key = `${use.group}/${use.resource}`;
      const entry = verbs.get(key) ?? { group: use.group, resource: use.resource, verbs: new Set() };
      verbs.set(key, entry);
      entry.verbs.add(use.verb);
    }
    return mergeRules([...verbs.values()].map(({ verbs: set, ...rest }) => ({ ...rest, verbs: [...set].sort() })));
  }

  #see(request: TransportRequest, created: TransportResponse | undefined): void {
    const isWatch = request.query?.includes('watch=true') === true;
    const key = `${request.method}${isWatch ? ' watch' : ''}${created ? ' created' : ''} ${shapeOf(request.path)}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(key);
    const use = useOf(request);
    if (use !== undefined) this.#addSeen(created === undefined ? use : { ...use, verb: 'create' });
  }

  #addSeen({ namespace, ...use }: Use): void {
    if (namespace !== undefined && this.#uses.has(keyOf({ ...use, namespace }))) return;
    this.#add(use);
    if (this.#isTold && seen.hasSubscribers) seen.publish(use);
  }

  #add(use: Use): void {
    this.#uses.set(keyOf(use), use);
  }
}

function keyOf({ verb, group, resource, namespace }: Use): string {
  return `${verb} ${group}/${resource}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** Shapes of paths that are remembered; when there are more, they are forgotten, and worked out again. */
const MAX_SEEN = 10_000;

/** A path without the object's name in it: all objects of a kind are used alike. */
function shapeOf(path: string): string {
  const kindAt = endOfSegments(path, path.startsWith('/apis/') ? 3 : 2);
  const isNamespaced = path.startsWith('/namespaces/', kindAt) && endOfSegments(path, 2, kindAt) < path.length;
  const nameAt = endOfSegments(path, isNamespaced ? 3 : 1, kindAt);
  if (nameAt === path.length) return path;
  return `${path.slice(0, nameAt)}/*${path.slice(endOfSegments(path, 1, nameAt))}`;
}

/** Where so many segments end that begin at a place, each with a slash. */
function endOfSegments(path: string, count: number, from = 0): number {
  let at = from;
  for (let left = count; left > 0 && at < path.length; left--) {
    const next = path.indexOf('/', at + 1);
    at = next < 0 ? path.length : next;
  }
  return at;
}

interface ResourceVerbs {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** Resources of a group that are used alike share a rule. */
function mergeRules(entries: readonly ResourceVerbs[]): PolicyRule[] {
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const { group, resource, verbs } of entries.toSorted(byGroupAndResource)) {
    const key = `${group} ${verbs}`;
    const rule = rules.get(key) ?? { apiGroups: [group], resources: [], verbs: [...verbs] };
    rules.set(key, rule);
    rule.resources.push(resource);
  }
  return [...rules.values()];
}

function byGroupAndResource(a: ResourceVerbs, b: ResourceVerbs): number {
  return compare(a.group, b.group) || compare(a.resource, b.resource);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
