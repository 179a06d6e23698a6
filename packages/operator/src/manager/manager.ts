import { hostname } from 'node:os';
import { abortable, type Clock, type Random, type Runnable, realClock, systemRandom } from '@pintle/async';
import {
  type CachedClient,
  Client,
  EventRecorder,
  type Interceptor,
  type LeaderElector,
  loadProgramSettings,
  type ProgramSettings,
  type SharedInformers,
} from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import type { ClusterRole, PolicyRule, Role } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { type Family, gauge } from '@pintle/metrics';
import type { Registry } from 'prom-client';
import { Controller, type ControllerDependencies, type ControllerOptions, type Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import type { ReconcileObserver } from '../controller/observer.ts';
import { ControllerBuilder } from '../controller-builder.ts';
import { type Check, HealthChecks } from '../health/health-checks.ts';
import { type Address, type Endpoint, HttpEndpoints } from '../health/http-endpoints.ts';
import { watchChecks } from '../health/watch-checks.ts';
import { ManagerMetrics } from '../metrics/manager-metrics.ts';
import { addProcessMetrics, openRegistry, register } from '../metrics/registry.ts';
import { openTracing, type Tracing } from '../metrics/tracing.ts';
import { WebhookMeter } from '../metrics/webhook-meter.ts';
import { type DeclareOptions, Permissions } from '../permissions/permissions.ts';
import type { DefinedResource } from '../resource/define-resource.ts';
import { readDescriptions } from '../resource/descriptions-file.ts';
import { Shards, slotOf } from '../sharding/shards.ts';
import { type InspectedManager, introduce } from '../telemetry/collector.ts';
import { recordRequests } from '../telemetry/recording.ts';
import { WebhookServer, type WebhookServerOptions } from '../webhook/webhook-server.ts';
import { BufferedLog } from './buffered-log.ts';
import { Cluster } from './cluster.ts';
import { DeferredTransport } from './deferred-transport.ts';
import { createElector, ensureLeaseNamespace, type LeaderElectionOptions } from './leader-election.ts';
import { Lifecycle, type LifecycleSignals } from './lifecycle.ts';
import { compareInstalled, installChanged, installMissing, isDefined } from './missing-resources.ts';
import { jsonLog, type LogLevel, StopSignals } from './program.ts';
import type { ManagedRunnable } from './runnable-group.ts';

export interface ManagerOptions {
  /** Default: a client for the cluster that kubectl would use; its configuration is loaded by `run`. */
  readonly client?: Client;
  /** Source of events, and User-Agent of requests. Default: the name of the lease, else `operator`. */
  readonly name?: string;
  /** Lease for leader election, or its name. Default: no leader election. */
  readonly leaderElection?: string | LeaderElectionOptions;
  /**
   * Name of the shards of this operator: its replicas share the objects, and each reconciles its part. Default: the leader
   * reconciles all.
   */
  readonly sharding?: string;
  /** Namespaces to watch. Default: all. */
  readonly namespaces?: readonly string[];
  /** Address of `/healthz` and `/readyz`. Default: not served. */
  readonly health?: Address;
  /** Address of `/metrics`; may be the same. Default: not served. */
  readonly metrics?: Address;
  /**
   * True installs the resources of its controllers that the server does not serve at all. Default: true. See
   * `installResources` for those it serves.
   */
  readonly installsMissing?: boolean;
  /** Address of the webhook server, and its registration. See `webhooks`. */
  readonly webhooks?: WebhookServerOptions;
  /** Grace period for stopping. Negative: unlimited. Default: 30 s. */
  readonly graceMs?: number;
  readonly clock?: Clock;
  /**
   * Clock of heartbeats: of informers, of nodes, and of the node monitor. Default: `clock`. A test that advances its clock
   * by months leaves it alone.
   */
  readonly heartbeats?: Clock;
  readonly random?: Random;
  /**
   * Default: lines of JSON on standard error when `run` has no signal, otherwise none. Lines from before `run` are kept
   * until then.
   */
  readonly log?: Log;
  /**
   * True for a manager of built-in controllers, the scheduler or nodes: `pintle observe` ignores its requests. Default:
   * false.
   */
  readonly isControlPlane?: boolean;
  /**
   * Default of `syncTimeoutMs` of its controllers. Default: 2 minutes; `Infinity` with `isControlPlane`, where a kind that
   * cannot be listed must not stop the controllers of the others.
   */
  readonly syncTimeoutMs?: number;
  /**
   * True reports controllers, queues and reconciles to the console of a Pintle API server while a page shows them. The role needs
   * `post` on `/console/reports`, which `generate manifests` adds. Default: PINTLE_TELEMETRY when `run` has no signal, else false.
   */
  readonly telemetry?: boolean;
  /** Lowest level of those lines. Default: LOG_LEVEL when `run` has no signal, else info. */
  readonly logLevel?: LogLevel;
  /** Freezes cached objects, which finds code that changes them. For tests. */
  readonly isFrozen?: boolean;
}

const GRACE_MS = 30_000;
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Runs controllers that share a client, one cache for each kind, a lease and a lifecycle. */
export class Manager implements Runnable, ControllerDependencies {
  readonly name: string;
  readonly clock: Clock;
  readonly heartbeats: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly #options: ManagerOptions;
  readonly #deferred: DeferredTransport | undefined;
  /** Sends requests that depend on how the process was started; they are not recorded for roles. */
  readonly #unrecorded: Client;
  readonly #cluster: Cluster;
  readonly #clusters = new Map<string, Cluster>();
  readonly #controllers: Controller[] = [];
  readonly #declared = new Permissions();
  readonly #dependencies = controllerDependencies(this, (type, verbs, subresource) =>
    this.#cluster.permissions.declare(type, verbs, subresource === undefined ? {} : { subresource }),
  );
  readonly #shards: Shards | undefined;
  readonly #defined = new Set<DefinedResource>();
  readonly #meters = new ManagerMetrics();
  readonly #health = new HealthChecks('healthz', (check, error) => this.#logFailedCheck(check, error));
  readonly #readiness = new HealthChecks('readyz', (check, error) => this.#logFailedCheck(check, error));
  readonly #lifecycle: Lifecycle;
  readonly #served: HttpEndpoints[] = [];
  /** Keeps log lines until `run` decides where they go. */
  readonly #buffered: BufferedLog;
  #currentLog: Log;
  #registry: Registry | undefined;
  #exposing: Promise<string> | undefined;
  #events: EventRecorder | undefined;
  #tracing: Tracing | undefined;
  #elector: LeaderElector | undefined;
  #webhooks: WebhookServer | undefined;
  #leaseNamespace: string | undefined;
  #hasRun = false;

  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? realClock;
    this.heartbeats = options.heartbeats ?? this.clock;
    this.random = options.random ?? systemRandom;
    this.name = options.name ?? electionOf(options)?.name ?? 'operator';
    this.#buffered = new BufferedLog(this.clock);
    this.#currentLog = options.log ?? this.#buffered;
    this.log = new ManagerLog(() => this.#currentLog);
    this.#deferred = options.client === undefined ? new DeferredTransport(this.clock) : undefined;
    const client =
      options.client ?? new Client({ transport: this.#deferred!, clock: this.clock, userAgent: this.name });
    this.#unrecorded = client;
    if (options.sharding !== undefined) this.#shards = this.#openShards(options.sharding);
    this.#cluster = this.#open('', client, options.namespaces);
    this.#lifecycle = new Lifecycle({
      clock: this.clock,
      graceMs: options.graceMs ?? GRACE_MS,
      warm: () => this.#warm(),
      onServing: () => this.#noteServing(),
      onLeading: (isLeading) => this.#noteLeading(isLeading),
      finish: async () => await this.#events?.close(),
    });
    this.#lifecycle.caches.add(this.#cluster.informers);
    if (this.#shards !== undefined) this.#lifecycle.others.add(this.#shards);
    this.#readiness.addGroup(() => this.#watchChecks());
    this.#noteLeading(false);
  }

  get client(): CachedClient {
    return this.#cluster.client;
  }

  get informers(): SharedInformers {
    return this.#cluster.informers;
  }

  get controllers(): readonly Controller[] {
    return this.#controllers;
  }

  /** Resources defined in code that its controllers reconcile. */
  get resources(): readonly DefinedResource[] {
    return [...this.#defined];
  }

  /** Reads the clock, so it is exact at any moment. Without leader election: true while the manager runs. */
  get isLeader(): boolean {
    return this.#elector === undefined
      ? this.#hasRun && electionOf(this.#options) === undefined
      : this.#elector.isLeader;
  }

  /** Registry of this manager's metrics, to which others can be added. */
  get metrics(): Registry {
    this.#registry ??= openRegistry(this.#meters);
    return this.#registry;
  }

  /** Adds a metric made by `counter`, `gauge` or `histogram`, and returns it. */
  count<F extends Family>(family: F): F {
    this.#meters.add(family);
    if (this.#registry !== undefined) register(this.#registry, family);
    return family;
  }

  /** Metrics of controllers and webhooks. */
  get meters(): ManagerMetrics {
    return this.#meters;
  }

  /** Records events of objects. All recorded events are sent before `run` ends. */
  get events(): EventRecorder {
    this.#events ??= new EventRecorder({
      client: this.client.live,
      component: this.name,
      clock: this.clock,
      random: this.random,
      onError: (error) => this.log.warn('Cannot record event', errorFields(error)),
    });
    return this.#events;
  }

  /** Admission and conversion webhooks. Every replica serves them. */
  get webhooks(): WebhookServer {
    this.#webhooks ??= this.#openWebhooks();
    return this.#webhooks;
  }

  /** Ports of probes and metrics, once they are served. */
  get ports(): { readonly health?: number; readonly metrics?: number } {
    const portOf = (name: string): number | undefined => this.#served.find((each) => each.serves(name))?.port;
    const [health, metrics] = [portOf('healthz'), portOf('metrics')];
    return { ...(health !== undefined && { health }), ...(metrics !== undefined && { metrics }) };
  }

  /**
   * Builds a controller of a kind; complete it with `reconcile`. Serves conversions between the versions of the kind, if it
   * has any.
   */
  controller<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    name = type.kind.toLowerCase(),
  ): ControllerBuilder<T, S> {
    if (isDefined(type)) {
      this.#defined.add(type);
      if (type.conversion !== undefined) this.webhooks.convert(type);
    }
    return new ControllerBuilder(this.#dependencies, type, name, (controller) => this.add(controller));
  }

  /**
   * Runs something with the manager: while it leads, or always when its `needsLease` is false. A runnable that is added
   * while the manager runs starts at once. Names of controllers are unique.
   */
  add(runnable: Controller | ManagedRunnable): void {
    if (runnable instanceof Controller) this.#addController(runnable);
    const isShared = this.#shards !== undefined && runnable instanceof Controller && runnable.hasMain;
    if (isShared || isWithoutLease(runnable)) this.#lifecycle.others.add(runnable);
    else this.#lifecycle.leaders.add(runnable);
  }

  /** Adds another cluster, with its own client and caches, whose objects can be watched and written. */
  cluster(name: string, client: Client): Cluster {
    if (name === '' || this.#clusters.has(name))
      throw new TypeError(`Cannot add cluster ${JSON.stringify(name)}: the name is already in use`);
    const cluster = this.#open(name, client, undefined);
    this.#clusters.set(name, cluster);
    this.#lifecycle.caches.add(cluster.informers);
    return cluster;
  }

  /** `/healthz` fails while the check does: the kubelet restarts the container. */
  addHealthCheck(name: string, check: Check): void {
    this.#health.add(name, check);
  }

  /** `/readyz` fails while the check does: the pod gets no requests. */
  addReadyCheck(name: string, check: Check): void {
    this.#readiness.add(name, check);
  }

  /** Returns the least ClusterRole that allows the declared access and the requests so far. */
  clusterRole({ name = this.name }: { readonly name?: string } = {}): ClusterRole {
    return this.#cluster.clusterRole({ name });
  }

  /** Returns the same rights, as Roles for the namespaces that are known: that of the lease, and `namespaces`. */
  roles({ name = this.name }: { readonly name?: string } = {}): (ClusterRole | Role)[] {
    return this.#cluster.roles({ name, leaseNamespace: this.#leaseNamespace });
  }

  get syncTimeoutMs(): number | undefined {
    const { isControlPlane = false, syncTimeoutMs } = this.#options;
    return syncTimeoutMs ?? (isControlPlane ? Number.POSITIVE_INFINITY : undefined);
  }

  observe(options: ControllerOptions): ReconcileObserver {
    return this.#meters.controller(options);
  }

  /**
   * Declares access to a kind, so that `generate manifests` allows it. For access that the code does not show, such as to a
   * kind that is only known at run time.
   */
  declare(type: ResourceType, verbs: readonly string[], options: string | DeclareOptions = {}): void {
    const narrowed = typeof options === 'string' ? { subresource: options } : options;
    this.#cluster.permissions.declare(type, verbs, narrowed);
    this.#declared.declare(type, verbs, narrowed);
  }

  /** Returns rules for the access declared by `declare`, without that of controllers and webhooks. */
  declaredRules(): PolicyRule[] {
    return this.#declared.rules();
  }

  /**
   * Runs until `signal` aborts; without one, until SIGINT or SIGTERM. Resolves when everything has stopped, in order. Rejects
   * with the first failure, with an `OperatorError` when stopping takes longer than the grace period, and at once with a
   * `ClientError` of code LeaseLost when another process may lead: the process should then exit. `kill` is for tests of
   * crashes: aborts everything, and rejects at once with its reason.
   */
  async run({ signal, kill }: { readonly signal?: AbortSignal; readonly kill?: AbortSignal } = {}): Promise<void> {
    if (this.#hasRun) throw new TypeError('Cannot run the manager: it has already run');
    this.#hasRun = true;
    const settings = signal === undefined ? loadProgramSettings() : {};
    this.#openLog(settings, signal === undefined);
    if (signal !== undefined) return await abortable(this.#run({ signal, kill }, settings), kill);
    using signals = new StopSignals();
    await abortable(this.#run({ signal: signals.signal, kill }, settings), kill);
  }

  /** Opens the log, and writes the lines from before. */
  #openLog({ logLevel }: ProgramSettings, isProgram: boolean): void {
    const level = this.#options.logLevel ?? logLevel;
    const ownLog = (): Log => (isProgram ? jsonLog(this.clock, undefined, { ...(level && { level }) }) : SILENT);
    this.#currentLog = this.#options.log ?? ownLog();
    this.#buffered.flush(this.#currentLog);
  }

  async #run({ signal, kill }: LifecycleSignals, settings: ProgramSettings): Promise<void> {
    const inspected: InspectedManager = {
      name: this.name,
      isControlPlane: this.#options.isControlPlane ?? false,
      controllers: this.#controllers,
      informers: this.informers,
      isLeading: () => this.isLeader,
    };
    using _introduced = introduce(inspected);
    try {
      if (settings.telemetry ?? this.#options.telemetry) await this.#addReporter(inspected);
      const config = await this.#deferred?.open();
      await this.#openTracing();
      await this.#webhooks?.prepare(settings.webhooks, { signal });
      this.#serve();
      await this.#install(signal, settings);
      this.log.info('Started', { manager: this.name });
      const leaseNamespace = await this.#findLeaseNamespace(settings, signal);
      await this.#lifecycle.run(this.#elect(leaseNamespace ?? config?.namespace), { signal, kill });
      this.log.info('Stopped', { manager: this.name });
    } catch (error) {
      // A stop before everything has started is not a failure.
      if (!signal.aborted || kill?.aborted || !isCausedBy(error, signal.reason)) throw error;
      this.log.info('Stopped', { manager: this.name });
    } finally {
      await this.#deferred?.close();
    }
  }

  /** Most operators report nothing, and do not load what it takes. */
  async #addReporter(manager: InspectedManager): Promise<void> {
    const { Reporter } = await import('../reporting/reporter.ts');
    const { clock, random, log } = this;
    const client = this.#unrecorded;
    this.#lifecycle.endpoints.add(new Reporter({ client, manager, clock, random, log, host: hostname() }));
  }

  /** Installs or compares the definitions, as the settings of the process require. */
  async #install(signal: AbortSignal, { definitions, descriptionsFile }: ProgramSettings): Promise<void> {
    if (this.#defined.size === 0) return;
    const { log, name, resources } = this;
    const options = { client: this.client.live, fieldManager: name, log, signal };
    try {
      if (definitions === 'install') {
        const descriptions = await readDescriptions(descriptionsFile);
        return await installChanged(resources, { ...options, client: this.#unrecorded, descriptions });
      }
      if (this.#options.installsMissing !== false) await installMissing(resources, options);
      if (definitions === 'compare') await compareInstalled(resources, { ...options, client: this.#unrecorded });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Objects that this process owns; `undefined` without sharding. */
  get shards(): Shards | undefined {
    return this.#shards;
  }

  #openShards(name: string): Shards {
    const shards = new Shards({
      name,
      identity: `${hostname()
        .toLowerCase()
        .replaceAll(/[^a-z\d]+/g, '-')
        .slice(0, 40)}-${this.random.uuid().slice(0, 8)}`,
      clock: this.clock,
      log: this.log,
      client: () => this.client,
      informers: () => this.informers,
      isLeader: () => this.isLeader,
      enqueue: (slots) => {
        for (const controller of this.#controllers)
          controller.enqueueInitial(({ metadata }) => slots.has(slotOf(metadata)));
      },
      owed: (slots) =>
        this.#controllers
          .flatMap((controller) => controller.owedObjects(({ metadata }) => slots.has(slotOf(metadata))))
          .map(({ metadata }) => slotOf(metadata)),
    });
    const read = (name: string, help: string, value: () => number): void => {
      this.count(gauge(name, help, [])).cell().read = value;
    };
    read('pintle_shard_slots_owned', 'Slots that this process owns.', () => shards.ownedSlots);
    read('pintle_shard_slots_unowned', 'Slots without an owner that lives.', () => shards.unownedSlots);
    read('pintle_shard_moves_total', 'Slots whose owner this process has changed.', () => shards.moves);
    read(
      'pintle_shard_fenced_writes_total',
      'Writes refused because another process owns the object.',
      () => shards.fencedWrites,
    );
    return shards;
  }

  #openWebhooks(): WebhookServer {
    const { name, clock, random, log } = this;
    const webhooks = new WebhookServer(
      {
        name,
        clock,
        random,
        log,
        client: this.client.live,
        unrecorded: this.#unrecorded,
        meter: (path) => new WebhookMeter(this.#meters, path),
        declare: (type, verbs, options) => this.#cluster.permissions.declare(type, verbs, options),
      },
      this.#options.webhooks,
    );
    this.#lifecycle.webhooks.add(webhooks);
    this.addReadyCheck('webhooks', () => (webhooks.isReady ? undefined : 'webhooks are not served yet'));
    return webhooks;
  }

  #addController(controller: Controller): void {
    if (this.#controllers.some(({ name }) => name === controller.name))
      throw new TypeError(`Cannot add controller ${JSON.stringify(controller.name)}: the name is already in use`);
    this.#controllers.push(controller);
    this.#meters.watchQueue(controller.name, controller.queue);
  }

  #open(name: string, client: Client, namespaces: readonly string[] | undefined): Cluster {
    const { heartbeats, random, log } = this;
    const { isFrozen = false } = this.#options;
    const interceptors = [recordRequests, this.#count, this.#traceRequest];
    const shards = name === '' ? this.#shards : undefined;
    const shardOf = shards && ((type: ResourceType) => shards.kinds.viewOf(type));
    const identity =
      name === '' ? { manager: this.name, isControlPlane: this.#options.isControlPlane ?? false } : undefined;
    return new Cluster({
      name,
      client,
      identity,
      interceptors,
      clock: heartbeats,
      random,
      log,
      isFrozen,
      namespaces,
      shardOf,
    });
  }

  readonly #count: Interceptor = async (request, next) => {
    try {
      const response = await next(request);
      this.#meters.requests.cell(`${response.status}`, request.method, this.#deferred?.host ?? '').add();
      return response;
    } catch (error) {
      this.#meters.requests.cell('<error>', request.method, this.#deferred?.host ?? '').add();
      throw error;
    }
  };

  readonly #traceRequest: Interceptor = (request, next) =>
    this.#tracing === undefined ? next(request) : this.#tracing.request(request, next);

  async #openTracing(): Promise<void> {
    this.#tracing = await openTracing();
    if (this.#tracing !== undefined) this.#meters.surround(this.#tracing.reconcile);
  }

  /** Returns the lease namespace of the settings, unless the code sets one. */
  async #findLeaseNamespace(
    { leaseNamespace: namespace }: ProgramSettings,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const election = electionOf(this.#options);
    if (election === undefined || election.namespace !== undefined || namespace === undefined) return undefined;
    return await ensureLeaseNamespace(namespace, { client: this.#unrecorded, log: this.log, signal });
  }

  #elect(namespace = 'default'): LeaderElector | undefined {
    const election = electionOf(this.#options);
    if (election === undefined) return undefined;
    this.#leaseNamespace = election.namespace ?? namespace;
    const where = { namespace: this.#leaseNamespace };
    this.#cluster.permissions.declare(Lease, ['create', 'get', 'update', 'watch'], where);
    if (this.#shards !== undefined) {
      this.#shards.place(this.#leaseNamespace);
      this.#cluster.permissions.declare(Lease, ['list', 'patch', 'delete'], where);
      this.#cluster.permissions.declare(ConfigMap, ['create', 'get', 'list', 'watch', 'update'], where);
    }
    const { clock, random, log } = this;
    const isSharded = this.#shards !== undefined;
    const dependencies = { client: this.client.live, namespace: this.#leaseNamespace, clock, random, log, isSharded };
    this.#elector = createElector(election, dependencies);
    return this.#elector;
  }

  /** Opens one listener for each address. */
  #serve(): void {
    const { health, metrics } = this.#options;
    const byAddress = new Map<string, { readonly address: Address; readonly endpoints: Map<string, Endpoint> }>();
    const offer = (address: Address | undefined, endpoints: readonly (readonly [string, Endpoint])[]): void => {
      if (address === undefined) return;
      const key = address.port === 0 ? `${byAddress.size}` : `${address.host ?? ''}:${address.port}`;
      const offered = byAddress.get(key) ?? { address, endpoints: new Map() };
      byAddress.set(key, offered);
      for (const [name, endpoint] of endpoints) offered.endpoints.set(name, endpoint);
    };
    offer(health, [
      ['healthz', (check, query) => this.#health.answer(check, query)],
      ['readyz', (check, query) => this.#readiness.answer(check, query)],
    ]);
    offer(metrics, [['metrics', () => this.#expose()]]);
    if (metrics !== undefined) addProcessMetrics(this.metrics);
    for (const { address, endpoints } of byAddress.values()) {
      const served = new HttpEndpoints(address, endpoints);
      this.#served.push(served);
      this.#lifecycle.endpoints.add(served);
    }
  }

  /** Scrapes at the same time share one answer: metrics of caches visit every object. */
  async #expose(): Promise<{ status: number; contentType: string; body: string }> {
    this.#exposing ??= this.metrics.metrics().finally(() => {
      this.#exposing = undefined;
    });
    return { status: 200, contentType: this.metrics.contentType, body: await this.#exposing };
  }

  /** Fills caches and queues of standbys before they lead, so that they take over at once. */
  #warm(): void {
    for (const controller of this.#controllers) controller.warm();
  }

  /** Logs the ports, which may have been chosen at run time. */
  #noteServing(): void {
    const webhooks = this.#webhooks?.port;
    const ports = { ...this.ports, ...(webhooks !== undefined && { webhooks }) };
    if (Object.keys(ports).length > 0) this.log.info('Serving', ports);
  }

  #noteLeading(isLeading: boolean): void {
    const election = electionOf(this.#options);
    if (election === undefined) return;
    this.#meters.leading.cell(election.name).value = isLeading ? 1 : 0;
    this.#shards?.noteLeading();
    if (this.#hasRun) this.log.info(isLeading ? 'Became the leader' : 'Stopped leading', { lease: election.name });
  }

  *#watchChecks(): Iterable<readonly [string, Check]> {
    yield* watchChecks(this.informers);
    for (const { name, informers } of this.#clusters.values()) yield* watchChecks(informers, name);
  }

  #logFailedCheck(check: string, error: unknown): void {
    this.log.warn('Health check failed', { check, ...errorFields(error) });
  }
}

/** Forwards to the current log, which `run` decides. */
class ManagerLog implements Log {
  readonly #currentLog: () => Log;

  constructor(current: () => Log) {
    this.#currentLog = current;
  }

  readonly info: Log['info'] = (message, fields) => this.#currentLog().info(message, fields);
  readonly warn: Log['warn'] = (message, fields) => this.#currentLog().warn(message, fields);
  readonly error: Log['error'] = (message, fields) => this.#currentLog().error(message, fields);

  get debug(): Log['debug'] {
    const log = this.#currentLog();
    return log.debug && ((message, fields) => log.debug?.(message, fields));
  }
}

/** Returns the manager as its controllers see it, with another `declare`. */
function controllerDependencies(
  manager: Manager,
  declare: NonNullable<ControllerDependencies['declare']>,
): ControllerDependencies {
  return {
    get client() {
      return manager.client;
    },
    get informers() {
      return manager.informers;
    },
    get clock() {
      return manager.clock;
    },
    get log() {
      return manager.log;
    },
    get random() {
      return manager.random;
    },
    get syncTimeoutMs() {
      return manager.syncTimeoutMs;
    },
    get events() {
      return manager.events;
    },
    get shards() {
      return manager.shards;
    },
    observe: (options) => manager.observe(options),
    declare,
  };
}

/** A sharded manager elects the leader that moves slots. */
function electionOf({ leaderElection: chosen, sharding }: ManagerOptions): LeaderElectionOptions | undefined {
  const leaderElection = chosen ?? sharding;
  return typeof leaderElection === 'string' ? { name: leaderElection } : leaderElection;
}

function isWithoutLease(runnable: ManagedRunnable): boolean {
  return runnable.needsLease === false;
}

const MAX_CAUSES = 10;

/** True when the reason is the error or one of its causes. */
function isCausedBy(error: unknown, reason: unknown): boolean {
  let current = error;
  for (let count = 0; count < MAX_CAUSES && current !== undefined; count++) {
    if (current === reason) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
}
