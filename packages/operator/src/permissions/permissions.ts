import { channel } from 'node:diagnostics_channel';
import type { Interceptor, TransportRequest, TransportResponse } from '@pintle/client';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { ResourceType } from '@pintle/machinery';
import { accessOf, type ResourceAccess } from './request-access.ts';

/**
 * Publishes each access of a manager once, as a `ManagerAccess`; `pintle observe` writes roles from it. Costs nothing without
 * subscribers.
 */
const accessChannel = channel('pintle:use');

/** Manager whose requests are published. */
export interface ManagerIdentity {
  /** Name of the manager. */
  readonly manager: string;
  /** True when the manager runs built-in controllers, the scheduler or nodes, and not an operator. */
  readonly isControlPlane: boolean;
}

/** Access, and the manager that made it. */
export type ManagerAccess = ManagerIdentity & Omit<ResourceAccess, 'namespace' | 'name'>;

/** Restricts declared access. */
export interface DeclareOptions {
  /** Subresource, such as `status`. */
  readonly subresource?: string;
  /** Names of objects. RBAC cannot restrict `create` by name, nor lists without a field selector. */
  readonly names?: readonly string[];
}

/** `DeclareOptions` with a namespace: for objects of the operator itself. */
export interface NamespacedDeclareOptions extends DeclareOptions {
  readonly namespace?: string;
}

/** Collects each verb on each resource that was declared or used in a request. */
export class Permissions {
  readonly #access = new Map<string, ResourceAccess>();
  readonly #manager: ManagerIdentity | undefined;
  /** Shapes of requests whose access is already known, without names of objects. */
  readonly #known = new Set<string>();
  /** Resources that were declared with names of objects. */
  readonly #named = new Set<string>();

  /** Without a manager, access is not published. */
  constructor(manager?: ManagerIdentity) {
    this.#manager = manager;
  }

  /** Declares access. Requests within a declared namespace or name add no wider access. */
  declare(type: ResourceType, verbs: readonly string[], options: NamespacedDeclareOptions = {}): void {
    for (const access of declaredAccess(type, verbs, options)) {
      if (access.name !== undefined) this.#named.add(`${access.group}/${access.resource}`);
      this.#add(access);
    }
  }

  /** Interceptor that records the access of requests. An apply needs `create` too, because it creates missing objects. */
  readonly watch: Interceptor = async (request, next) => {
    this.#record(request, undefined);
    const response = await next(request);
    if (request.method === 'PATCH' && (response.status === 201 || isApply(request))) this.#record(request, response);
    return response;
  };

  uses(): ResourceAccess[] {
    return [...this.#access.values()];
  }

  /** Returns the fewest rules for the access that `isIncluded` selects. */
  rules(isIncluded: (access: ResourceAccess) => boolean = () => true): PolicyRule[] {
    const entries = new Map<string, { group: string; resource: string; name: string | undefined; verbs: string[] }>();
    for (const access of this.#access.values()) {
      if (!isIncluded(access)) continue;
      const { group, resource, name, verb } = access;
      const key = `${group}/${resource} ${name ?? ''}`;
      const entry = entries.get(key) ?? { group, resource, name, verbs: [] };
      entries.set(key, entry);
      if (!entry.verbs.includes(verb)) entry.verbs.push(verb);
    }
    return mergeRules([...entries.values()].map(({ verbs, ...rest }) => ({ ...rest, verbs: verbs.sort() })));
  }

  #record(request: TransportRequest, created: TransportResponse | undefined): void {
    const isWatch = request.query?.includes('watch=true') === true;
    const asked = `${request.method}${isWatch ? ' watch' : ''}${created ? ' created' : ''}`;
    const key = `${asked} ${shapeOf(request.path)}`;
    if (this.#known.has(key)) return;
    const exactKey = this.#named.size === 0 ? key : `${asked} ${request.path}?${request.query ?? ''}`;
    if (this.#known.has(exactKey)) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const access = accessOf(request);
    const isDeclared = access !== undefined && this.#isDeclaredByName(access);
    this.#known.add(isDeclared ? exactKey : key);
    if (access !== undefined && !isDeclared)
      this.#addRecorded(created === undefined ? access : { ...access, verb: 'create' });
  }

  /**
   * True when the access was declared for this object by name. A declared patch by name leaves creation to the
   * deployment: an apply that creates the object, on a cluster without it, adds no `create`.
   */
  #isDeclaredByName(access: ResourceAccess): boolean {
    if (access.name === undefined || !this.#named.has(`${access.group}/${access.resource}`)) return false;
    const { namespace: _namespace, ...anywhere } = access;
    return this.#access.has(keyOf(anywhere)) || this.#access.has(keyOf(access));
  }

  #addRecorded({ namespace, name: _name, ...access }: ResourceAccess): void {
    if (namespace !== undefined && this.#access.has(keyOf({ ...access, namespace }))) return;
    this.#add(access);
    if (this.#manager !== undefined && accessChannel.hasSubscribers)
      accessChannel.publish({ ...this.#manager, ...access } satisfies ManagerAccess);
  }

  #add(access: ResourceAccess): void {
    this.#access.set(keyOf(access), access);
  }
}

/** True for an apply of a whole object. An apply of a subresource does not create the object. */
function isApply(request: TransportRequest): boolean {
  const type = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return String(type).startsWith('application/apply-patch') && accessOf(request)?.resource.includes('/') === false;
}

function* declaredAccess(
  { group, plural, scope }: ResourceType,
  verbs: readonly string[],
  { subresource, names = [], namespace }: NamespacedDeclareOptions,
): Generator<ResourceAccess> {
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const where = { isNamespaced: scope === 'Namespaced', ...(namespace !== undefined && { namespace }) };
  for (const verb of verbs) {
    if (names.length === 0) yield { group, resource, verb, ...where };
    for (const name of names) yield { group, resource, verb, ...where, name };
  }
}

function keyOf({ verb, group, resource, namespace, name }: ResourceAccess): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${group}/${resource}${where}${name === undefined ? '' : ` named ${name}`}`;
}

/** Remembered shapes of requests; when there are more, all are forgotten and computed again. */
const MAX_KNOWN = 10_000;

/** Returns the path with `*` for the name of the object: access does not depend on it. */
function shapeOf(path: string): string {
  const kindAt = endOfSegments(path, path.startsWith('/apis/') ? 3 : 2);
  const isNamespaced = path.startsWith('/namespaces/', kindAt) && endOfSegments(path, 2, kindAt) < path.length;
  const nameAt = endOfSegments(path, isNamespaced ? 3 : 1, kindAt);
  if (nameAt === path.length) return path;
  return `${path.slice(0, nameAt)}/*${path.slice(endOfSegments(path, 1, nameAt))}`;
}

/** Returns the offset after `count` segments from `from`, each with a leading slash. */
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

/** Merges resources of a group with the same verbs into one rule, and names of a resource too. */
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
