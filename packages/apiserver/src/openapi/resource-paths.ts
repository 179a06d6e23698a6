import type { BuiltinSubresource } from '@pintle/kinds/discovery';
import { responseKindOf } from '@pintle/kinds/discovery';
import type { GroupVersionKind } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import type { CatalogResource, CatalogVersion } from '../discovery/catalog.ts';
import type { Method, Operation, Parameter, PathItem, Payload } from './model.ts';
import { METHODS, pathItem } from './model.ts';
import * as options from './parameters.ts';
import { schemasOf } from './schema-source.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const JSON_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const CUSTOM_TYPES = ['application/json', 'application/yaml'];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const STRATEGIC = 'application/strategic-merge-patch+json';
const ANYTHING = ['*/*'];

/** Returns the paths of all resources of a version, sorted. */
export function resourcePaths(version: CatalogVersion): PathItem[] {
  const items = version.resources.flatMap((resource) => new ResourcePaths(version, resource).items());
  if (!version.isCustom) items.push(rootItem(version));
  return items.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns `/apis/apps/v1/`: discovery of the version. */
function rootItem(version: CatalogVersion): PathItem {
  const operation: Operation = {
    id: `get${groupId(version)}${title(version.version)}APIResources`,
    tag: tagOf(version),
    parameters: [],
    responses: { 200: { typeName: `${META}.APIResourceList` }, 401: 'nothing' },
    produces: JSON_TYPES,
    consumes: JSON_TYPES,
  };
  return pathItem(`${rootOf(version)}/`, { get: operation });
}

/** Builds the paths of a resource and its subresources. */
class ResourcePaths {
  readonly #version: CatalogVersion;
  readonly #resource: CatalogResource;
  readonly #kind: GroupVersionKind;
  readonly #isNamespaced: boolean;

  constructor(version: CatalogVersion, resource: CatalogResource) {
    this.#version = version;
    this.#resource = resource;
    this.#kind = responseKindOf(version, resource);
    this.#isNamespaced = resource.scope === 'Namespaced';
  }

  items(): PathItem[] {
    const root = rootOf(this.#version);
    const scoped = this.#isNamespaced ? '/namespaces/{namespace}' : '';
    const plural = this.#resource.resource;
    const object = `${root}${scoped}/${plural}/{name}`;
    const found = [
      pathItem(`${root}${scoped}/${plural}`, this.#collection()),
      pathItem(object, this.#object()),
      ...(this.#isNamespaced ? [pathItem(`${root}/${plural}`, this.#everywhere())] : []),
      ...(this.#version.isCustom ? [] : this.#watches(root, scoped)),
      ...this.#resource.subresources.flatMap((sub) => this.#subresource(object, sub)),
    ];
    return found.filter(({ operations }) => Object.keys(operations).length > 0);
  }

  #collection(): PathItem['operations'] {
    const scope = this.#isNamespaced ? options.NAMESPACE : [];
    return this.#allowedOperations(this.#resource.verbs, {
      list: ['get', this.#list(this.#id('list'), scope)],
      create: ['post', this.#write('post', this.#id('create'), scope)],
      deletecollection: ['delete', this.#removeCollection(scope)],
    });
  }

  #object(): PathItem['operations'] {
    const scope = [...options.NAME, ...(this.#isNamespaced ? options.NAMESPACE : [])];
    return this.#allowedOperations(this.#resource.verbs, {
      get: ['get', this.#read(this.#id('read'), scope)],
      update: ['put', this.#write('put', this.#id('replace'), scope)],
      delete: ['delete', this.#remove(scope)],
      patch: ['patch', this.#patch(this.#id('patch'), scope)],
    });
  }

  #everywhere(): PathItem['operations'] {
    const id = `${this.#prefix('list')}${this.#kind.kind}ForAllNamespaces`;
    return this.#allowedOperations(this.#resource.verbs, { list: ['get', this.#list(id, [])] });
  }

  /** Returns the former paths of watches, which are still served. */
  #watches(root: string, scoped: string): PathItem[] {
    if (!this.#resource.verbs.includes('watch')) return [];
    const plural = this.#resource.resource;
    const scope = this.#isNamespaced ? options.NAMESPACE : [];
    const list = this.#watch('watchlist', `${this.#id('watch')}List`, scope);
    const one = this.#watch('watch', this.#id('watch'), [...options.NAME, ...scope]);
    const everywhere = `${this.#prefix('watch')}${this.#kind.kind}ListForAllNamespaces`;
    return [
      pathItem(`${root}/watch${scoped}/${plural}`, { get: list }),
      pathItem(`${root}/watch${scoped}/${plural}/{name}`, { get: one }),
      ...(this.#isNamespaced
        ? [pathItem(`${root}/watch/${plural}`, { get: this.#watch('watchlist', everywhere, []) })]
        : []),
    ];
  }

  #subresource(object: string, sub: BuiltinSubresource): PathItem[] {
    const path = `${object}/${sub.subresource}`;
    const kind = responseKindOf(this.#version, sub);
    const scope = [...options.NAME, ...(this.#isNamespaced ? options.NAMESPACE : [])];
    const suffix = title(sub.subresource);
    const connection = options.CONNECT[kind.kind];
    if (connection !== undefined) return this.#connections(path, sub, kind, [...scope, ...connection]);
    if (sub.subresource === 'log') return [pathItem(path, { get: this.#log(kind, scope) })];
    const operations = this.#allowedOperations(sub.verbs, {
      create: ['post', this.#write('post', this.#id('create') + suffix, scope, kind)],
      get: ['get', this.#read(this.#id('read') + suffix, scope, kind)],
      update: ['put', this.#write('put', this.#id('replace') + suffix, scope, kind)],
      patch: ['patch', this.#patch(this.#id('patch') + suffix, scope, kind)],
    });
    return [pathItem(path, operations)];
  }

  #connections(
    path: string,
    sub: BuiltinSubresource,
    kind: GroupVersionKind,
    parameters: readonly Parameter[],
  ): PathItem[] {
    const isProxy = sub.subresource === 'proxy';
    const methods: readonly Method[] = isProxy ? METHODS : ['get', 'post'];
    const items = (suffix: string, all: readonly Parameter[]): PathItem['operations'] =>
      Object.fromEntries(methods.map((method) => [method, this.#connect(method, suffix, kind, all)]));
    const whole = pathItem(path, items(title(sub.subresource), parameters));
    if (!isProxy) return [whole];
    const below = items(`${title(sub.subresource)}WithPath`, [...parameters, ...options.PATH]);
    return [whole, pathItem(`${path}/{path}`, below)];
  }

  #connect(method: Method, suffix: string, kind: GroupVersionKind, parameters: readonly Parameter[]): Operation {
    const id = `${this.#prefix('connect')}${title(method)}${this.#scopedKind}${suffix}`;
    return this.#operation('connect', id, parameters, { 200: 'text' }, { kind, produces: ANYTHING });
  }

  #log(kind: GroupVersionKind, scope: readonly Parameter[]): Operation {
    const parameters = [...scope, ...options.LOG, ...options.PRETTY];
    const produces = ['text/plain', ...JSON_TYPES];
    return this.#operation('get', `${this.#id('read')}Log`, parameters, { 200: 'text' }, { kind, produces });
  }

  #list(id: string, scope: readonly Parameter[]): Operation {
    const parameters = [...scope, ...options.LIST, ...options.PRETTY];
    const kind = { ...this.#kind, kind: this.#resource.listKind ?? `${this.#kind.kind}List` };
    return this.#operation('list', id, parameters, { 200: this.#payload(kind) }, { produces: this.#streamTypes });
  }

  #watch(action: string, id: string, scope: readonly Parameter[]): Operation {
    const parameters = [...scope, ...options.LIST, ...options.PRETTY];
    const event = { typeName: `${META}.WatchEvent` };
    return this.#operation(action, id, parameters, { 200: event }, { produces: this.#streamTypes });
  }

  #read(id: string, scope: readonly Parameter[], kind = this.#kind): Operation {
    const version = this.#version.isCustom ? options.VERSION : [];
    const parameters = [...scope, ...version, ...options.PRETTY];
    return this.#operation('get', id, parameters, { 200: this.#payload(kind) }, { kind });
  }

  #write(action: 'post' | 'put', id: string, scope: readonly Parameter[], kind = this.#kind): Operation {
    const payload = this.#payload(kind);
    const responses = { 200: payload, 201: payload, ...(action === 'post' && { 202: payload }) };
    const body = typeof payload === 'object' && { body: { ...payload, isRequired: true, consumes: this.#consumes } };
    const parameters = [...scope, ...options.WRITE, ...options.PRETTY];
    return { ...this.#operation(action, id, parameters, responses, { kind }), ...body };
  }

  #patch(id: string, scope: readonly Parameter[], kind = this.#kind): Operation {
    const payload = this.#payload(kind);
    const { isCustom } = this.#version;
    const responses = { 200: payload, ...(isCustom ? {} : { 201: payload }) };
    const consumes = isCustom ? PATCH_TYPES.filter((type) => type !== STRATEGIC) : PATCH_TYPES;
    const parameters = [...scope, ...options.PATCH, ...options.PRETTY];
    const body = { typeName: `${META}.Patch`, isRequired: true, consumes };
    return { ...this.#operation('patch', id, parameters, responses, { kind }), body };
  }

  #remove(scope: readonly Parameter[]): Operation {
    const { group, kind } = this.#kind;
    const isReturned = !this.#version.isCustom && RETURNED_BY_DELETE.has(`${group}/${kind}`);
    const payload = isReturned ? this.#payload(this.#kind) : { typeName: `${META}.Status` };
    const parameters = [...scope, ...options.DELETE, ...options.PRETTY];
    return {
      ...this.#operation('delete', this.#id('delete'), parameters, { 200: payload, 202: payload }),
      body: { typeName: `${META}.DeleteOptions`, isRequired: false, consumes: this.#consumes },
    };
  }

  #removeCollection(scope: readonly Parameter[]): Operation {
    const id = `${this.#prefix('delete')}Collection${this.#scopedKind}`;
    const responses = { 200: { typeName: `${META}.Status` } };
    if (this.#version.isCustom) {
      return this.#operation('deletecollection', id, [...scope, ...options.LIST, ...options.PRETTY], responses);
    }
    const parameters = [...scope, ...options.DELETE_COLLECTION, ...options.PRETTY];
    return {
      ...this.#operation('deletecollection', id, parameters, responses),
      body: { typeName: `${META}.DeleteOptions`, isRequired: false, consumes: this.#consumes },
    };
  }

  #operation(
    action: string,
    id: string,
    parameters: readonly Parameter[],
    responses: Readonly<Record<string, Payload>>,
    { kind = this.#kind, produces = this.#types }: { kind?: GroupVersionKind; produces?: readonly string[] } = {},
  ): Operation {
    return {
      id,
      tag: tagOf(this.#version),
      action,
      // Operations of definitions have its kind, also that of the scale.
      kind: this.#version.isCustom ? this.#kind : kind,
      parameters: options.sorted(parameters),
      responses: { ...responses, 401: 'nothing' },
      produces,
      consumes: this.#consumes,
    };
  }

  #payload(kind: GroupVersionKind): Payload {
    const typeName = schemasOf(this.#version).typeNameOf(kind);
    return typeName === undefined ? 'nothing' : { typeName };
  }

  #id(verb: string): string {
    return this.#prefix(verb) + this.#scopedKind;
  }

  #prefix(verb: string): string {
    return `${verb}${groupId(this.#version)}${title(this.#version.version)}`;
  }

  get #scopedKind(): string {
    return this.#isNamespaced ? `Namespaced${this.#kind.kind}` : this.#kind.kind;
  }

  get #types(): readonly string[] {
    return this.#version.isCustom ? CUSTOM_TYPES : JSON_TYPES;
  }

  get #consumes(): readonly string[] {
    return this.#version.isCustom ? CUSTOM_TYPES : ANYTHING;
  }

  get #streamTypes(): readonly string[] {
    if (this.#version.isCustom) return CUSTOM_TYPES;
    return [...JSON_TYPES, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  }

  #allowedOperations(
    verbs: readonly string[],
    operations: Readonly<Record<string, readonly [Method, Operation]>>,
  ): PathItem['operations'] {
    return Object.fromEntries(verbs.map((verb) => operations[verb]).filter((entry) => entry !== undefined));
  }
}

/** Kinds whose deletion returns the object instead of a Status. */
const RETURNED_BY_DELETE: ReadonlySet<string> = new Set([
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  '/Pod',
  '/PodTemplate',
  '/ResourceQuota',
  '/Service',
  '/ServiceAccount',
  'resource.k8s.io/DeviceClass',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/ResourceClaimTemplate',
  'resource.k8s.io/ResourceSlice',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/VolumeAttachment',
  'storage.k8s.io/VolumeAttributesClass',
]);

function rootOf(version: CatalogVersion): string {
  return `${version.group === '' ? '/api' : '/apis'}/${formatGroupVersion(version)}`;
}

/** Returns `RbacAuthorization` for `rbac.authorization.k8s.io`. Groups of definitions keep their suffix. */
export function groupId({ group, isCustom }: Pick<CatalogVersion, 'group' | 'isCustom'>): string {
  if (group === '') return 'Core';
  const name = isCustom ? group : group.replace(/\.k8s\.io$/, '');
  return name.split('.').map(title).join('');
}

export function tagOf(version: CatalogVersion): string {
  const id = groupId(version);
  return `${id.slice(0, 1).toLowerCase()}${id.slice(1)}_${version.version}`;
}

function title(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
