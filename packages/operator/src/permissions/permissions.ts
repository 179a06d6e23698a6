import { channel } from 'node:diagnostics_channel';
import type { Interceptor, TransportRequest, TransportResponse } from '@pintle/client';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { ResourceType } from '@pintle/machinery';
import { type Use, useOf } from './request-use.ts';

/**
 * Tells whoever subscribes of every verb on every resource that a manager was seen to use, as a `ManagerUse`, once each:
 * `pintle observe` writes roles from it. Whoever does not subscribe pays nothing.
 */
const seen = channel('pintle:use');

/** Whose requests are seen. */
export interface Requester {
  /** The name of the manager. */
  readonly manager: string;
  /** The manager runs built-in controllers, the scheduler or nodes: it is no operator. */
  readonly isControlPlane: boolean;
}

/** A use, and who was seen to make it. */
export type ManagerUse = Requester & Omit<Use, 'namespace' | 'name'>;

/** Narrows what is declared. */
export interface DeclareOptions {
  /** A part of the objects, such as `status`. */
  readonly subresource?: string;
  /** Only objects of these names. Servers cannot restrict `create`, nor lists without a field selector, by name. */
  readonly names?: readonly string[];
}

/** The same, in one namespace: for what belongs to the operator's own. */
export interface PlacedDeclareOptions extends DeclareOptions {
  readonly namespace?: string;
}

/** Every verb on every resource that was declared or seen in a request, each once. */
export class Permissions {
  readonly #uses = new Map<string, Use>();
  readonly #requester: Requester | undefined;
  /** Requests repeat themselves; what they ask for is worked out once for all names. */
  readonly #seen = new Set<string>();
  /** Resources that were declared by the names of objects. */
  readonly #named = new Set<string>();

  /** Without a requester, nobody hears of what is seen here. */
  constructor(requester?: Requester) {
    this.#requester = requester;
  }

  /** Rights that hold for one namespace, or by name, only: requests for just that need no more. */
  declare(type: ResourceType, verbs: readonly string[], options: PlacedDeclareOptions = {}): void {
    for (const use of declaredUses(type, verbs, options)) {
      if (use.name !== undefined) this.#named.add(`${use.group}/${use.resource}`);
      this.#add(use);
    }
  }

  /** Sees what is asked for. An apply needs to create as well: where the object is missing, it makes it. */
  readonly watch: Interceptor = async (request, next) => {
    this.#see(request, undefined);
    const response = await next(request);
    if (request.method === 'PATCH' && (response.status === 201 || isApply(request))) this.#see(request, response);
    return response;
  };

  uses(): Use[] {
    return [...this.#uses.values()];
  }

  /** The fewest rules that allow what `isMeant` picks. */
  rules(isMeant: (use: Use) => boolean = () => true): PolicyRule[] {
    const entries = new Map<string, { group: string; resource: string; name: string | undefined; verbs: string[] }>();
    for (const use of this.#uses.values()) {
      if (!isMeant(use)) continue;
      const { group, resource, name, verb } = use;
      const key = `${group}/${resource} ${name ?? ''}`;
      const entry = entries.get(key) ?? { group, resource, name, verbs: [] };
      entries.set(key, entry);
      if (!entry.verbs.includes(verb)) entry.verbs.push(verb);
    }
    return mergeRules([...entries.values()].map(({ verbs, ...rest }) => ({ ...rest, verbs: verbs.sort() })));
  }

  #see(request: TransportRequest, created: TransportResponse | undefined): void {
    const isWatch = request.query?.includes('watch=true') === true;
    const asked = `${request.method}${isWatch ? ' watch' : ''}${created ? ' created' : ''}`;
    const key = `${asked} ${shapeOf(request.path)}`;
    if (this.#seen.has(key)) return;
    const exactKey = this.#named.size === 0 ? key : `${asked} ${request.path}?${request.query ?? ''}`;
    if (this.#seen.has(exactKey)) return;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    const use = useOf(request);
    const isDeclared = use !== undefined && this.#isDeclaredByName(use);
    this.#seen.add(isDeclared ? exactKey : key);
    if (use !== undefined && !isDeclared) this.#addSeen(created === undefined ? use : { ...use, verb: 'create' });
  }

  /**
   * Whether the request was declared for just this object. Whoever declares to patch an object by its name leaves it to
   * others to create it: an apply that did so, on a cluster without that object, asks for no right.
   */
  #isDeclaredByName(use: Use): boolean {
    if (use.name === undefined || !this.#named.has(`${use.group}/${use.resource}`)) return false;
    const { namespace: _namespace, ...anywhere } = use;
    return this.#uses.has(keyOf(anywhere)) || this.#uses.has(keyOf(use));
  }

  #addSeen({ namespace, name: _name, ...use }: Use): void {
    if (namespace !== undefined && this.#uses.has(keyOf({ ...use, namespace }))) return;
    this.#add(use);
    if (this.#requester !== undefined && seen.hasSubscribers)
      seen.publish({ ...this.#requester, ...use } satisfies ManagerUse);
  }

  #add(use: Use): void {
    this.#uses.set(keyOf(use), use);
  }
}

/** Whether it applies an object as a whole. Parts, such as the status, are not made by applying them. */
function isApply(request: TransportRequest): boolean {
  const type = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return String(type).startsWith('application/apply-patch') && useOf(request)?.resource.includes('/') === false;
}

function* declaredUses(
  { group, plural, scope }: ResourceType,
  verbs: readonly string[],
  { subresource, names = [], namespace }: PlacedDeclareOptions,
): Generator<Use> {
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const where = { isNamespaced: scope === 'Namespaced', ...(namespace !== undefined && { namespace }) };
  for (const verb of verbs) {
    if (names.length === 0) yield { group, resource, verb, ...where };
    for (const name of names) yield { group, resource, verb, ...where, name };
  }
}

function keyOf({ verb, group, resource, namespace, name }: Use): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${group}/${resource}${where}${name === undefined ? '' : ` named ${name}`}`;
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
  readonly name: string | undefined;
  readonly verbs: readonly string[];
}

/** Resources of a group that are used alike share a rule; so do the names of a resource. */
function mergeRules(entries: readonly ResourceVerbs[]): PolicyRule[] {
  const rules = new Map<
    string,
    { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }
  >();
  for (const { group, resource, name, verbs } of entries.toSorted(byGroupAndResource)) {
    const key = `${group} ${verbs} ${name === undefined ? '' : resource}`;
    const rule = rules.get(key) ?? { apiGroups: [group], resources: [], verbs: [...verbs] };
    rules.set(key, rule);
    if (!rule.resources.includes(resource)) rule.resources.push(resource);
    if (name !== undefined) rule.resourceNames = [...(rule.resourceNames ?? []), name];
  }
  return [...rules.values()];
}

function byGroupAndResource(a: ResourceVerbs, b: ResourceVerbs): number {
  return compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.name ?? '', b.name ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
