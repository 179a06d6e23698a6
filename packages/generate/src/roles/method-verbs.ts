import { table } from '@pintle/machinery/table';

/** Objects whose methods send requests to an API server. */
export type Receiver =
  | 'manager'
  | 'builder'
  | 'controller'
  | 'context'
  | 'cachedClient'
  | 'client'
  | 'informers'
  | 'events';

/** A resource that does not depend on arguments. */
export interface FixedResource {
  readonly group: string;
  readonly plural: string;
}

/** The rights that a call needs. */
export interface CallUse {
  readonly verbs: readonly string[];
  /** Index of the argument with the kind; `own` for the kind of the controller; or a fixed resource. */
  readonly kind: number | 'own' | FixedResource;
  readonly subresource?: string;
  /** Further verbs on the objects themselves, without the subresource. */
  readonly objectVerbs?: readonly string[];
  /** Index of the argument whose object literal may name a subresource. */
  readonly options?: number;
  /** Index of the argument whose object literal may name informers of another cluster: then no right is needed here. */
  readonly watching?: number;
  /** Sets owner references, for which servers may require the right to update finalizers of the owner. */
  readonly setsOwner?: boolean;
}

const EVENTS: FixedResource = { group: '', plural: 'events' };
const PODS: FixedResource = { group: '', plural: 'pods' };
const RECORD_EVENT: CallUse = { kind: EVENTS, verbs: ['create', 'patch'] };
const first = (...verbs: readonly string[]): CallUse => ({ kind: 0, verbs });
const second = (...verbs: readonly string[]): CallUse => ({ kind: 1, verbs });
const ofPods = (subresource: string, ...verbs: readonly string[]): CallUse => ({ kind: PODS, subresource, verbs });

const WRITES = {
  create: { ...first('create'), options: 2 },
  update: { ...first('update'), options: 2 },
  patch: { ...first('patch'), options: 3 },
  apply: { ...first('create', 'patch'), options: 2 },
  delete: first('delete'),
};

/**
 * Rights of each method that sends requests. Reads of a cached kind send none; it is unknown here which kinds are cached, and
 * a role that may list objects may as well get them. A test calls each method and compares.
 */
export const METHOD_USES: Readonly<Record<Receiver, Readonly<Record<string, CallUse>>>> = table({
  // Controllers declare these rights when they are built, except those that depend on the environment.
  manager: table({ controller: first('list', 'watch') }),
  builder: table({
    owns: { ...first('create', 'delete', 'list', 'patch', 'watch'), setsOwner: true, watching: 1 },
    watches: { ...first('list', 'watch'), watching: 2 },
    indexes: first('list', 'watch'),
  }),
  controller: table({
    watch: { ...first('list', 'watch'), watching: 2 },
    watchNow: { ...first('list', 'watch'), watching: 2 },
  }),
  client: table({
    ...WRITES,
    get: { ...first('get'), options: 2 },
    find: first('get'),
    list: first('list'),
    each: first('list'),
    watch: first('watch'),
    watchBytes: first('watch'),
    deleteAll: first('deletecollection'),
  }),
  cachedClient: table({
    ...WRITES,
    get: first('get'),
    find: first('get'),
    list: first('list'),
    listLive: first('list'),
  }),
  context: table({
    get: first('get'),
    find: first('get'),
    list: first('list'),
    follow: first('list', 'watch'),
    apply: { ...first('create', 'patch'), setsOwner: true },
    status: { kind: 'own', subresource: 'status', verbs: ['patch'], objectVerbs: ['get'] },
    condition: { kind: 'own', subresource: 'status', verbs: ['patch'], objectVerbs: ['get'] },
    finalize: { kind: 'own', verbs: ['get', 'patch'] },
    event: RECORD_EVENT,
  }),
  informers: table({
    share: first('list', 'watch'),
    shareEach: first('list', 'watch'),
  }),
  events: table({ record: RECORD_EVENT }),
});

/** Methods of the same classes that need no rights. `call`, `send` and `openSocket` are read by their path. */
export const METHODS_WITHOUT_USE: Readonly<Record<Receiver, readonly string[]>> = {
  manager: [
    'count',
    'add',
    'cluster',
    'addHealthCheck',
    'addReadyCheck',
    'clusterRole',
    'roles',
    'observe',
    'declare',
    'declaredRules',
    'run',
  ],
  builder: ['options', 'filter', 'watchesExternal', 'reconcile', 'reconcileRequests'],
  controller: ['watchExternal', 'addSource', 'enqueue', 'enqueueInitial', 'owedObjects', 'warm', 'run'],
  client: ['metadataOnly', 'intercepted', 'call', 'send', 'openSocket', 'close'],
  cachedClient: [],
  context: ['requeue', 'children', 'isServed', 'prune', 'finish', 'checkAwaited'],
  informers: ['findEach', 'find', 'informers', 'synced', 'run'],
  events: ['flush', 'close'],
};

/** Methods that send a given request, whose path has the resource. */
export const REQUEST_METHODS: ReadonlySet<string> = new Set(['call', 'send', 'openSocket']);

const WAITS = second('get', 'list', 'watch');
const DEFINITIONS: FixedResource = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };

/** Rights of functions of the framework, by package and name. */
export const FUNCTION_USES: Readonly<Record<string, Readonly<Record<string, CallUse>>>> = table({
  '@pintle/client': table({
    waitFor: WAITS,
    untilDeleted: WAITS,
    addFinalizer: second('get', 'patch'),
    removeFinalizer: second('get', 'patch'),
    getScale: { ...second('get'), subresource: 'scale' },
    setScale: { ...second('patch'), subresource: 'scale' },
    createToken: { kind: { group: '', plural: 'serviceaccounts' }, subresource: 'token', verbs: ['create'] },
    evict: ofPods('eviction', 'create'),
    bind: ofPods('binding', 'create'),
    logs: ofPods('log', 'get'),
    logLines: ofPods('log', 'get'),
    // Servers check both verbs: the request is a GET, and opening the stream counts as create.
    exec: ofPods('exec', 'create', 'get'),
    attach: ofPods('attach', 'create', 'get'),
    portForward: ofPods('portforward', 'create', 'get'),
  }),
  '@pintle/operator': table({
    installResources: { kind: DEFINITIONS, verbs: ['create', 'get', 'list', 'patch', 'watch'] },
  }),
});

/** Rights of objects of these classes, whose options may have the kind as `type`. */
export const CLASS_USES: Readonly<Record<string, Omit<CallUse, 'kind'> & { readonly kind: 'type' | FixedResource }>> =
  table({
    Informer: { kind: 'type', verbs: ['list', 'watch'] },
    Reflector: { kind: 'type', verbs: ['list', 'watch'] },
    EventRecorder: { kind: EVENTS, verbs: ['create', 'patch'] },
    SeriesRecorder: { kind: { group: 'events.k8s.io', plural: 'events' }, verbs: ['create', 'patch'] },
    LeaderElector: {
      kind: { group: 'coordination.k8s.io', plural: 'leases' },
      verbs: ['create', 'get', 'update', 'watch'],
    },
  });
