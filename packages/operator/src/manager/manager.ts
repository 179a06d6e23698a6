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
import type { ClusterRole, PolicyRule, Role } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import type { Family } from '@pintle/metrics';
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
import { WebhookServer, type WebhookServerOptions } from '../webhook/webhook-server.ts';
import { Cluster } from './cluster.ts';
import { EarlyLog } from './early-log.ts';
import { LateTransport } from './late-transport.ts';
import { createElector, type LeaderElectionOptions, makeLeaseNamespace } from './leader-election.ts';
import { Life, type LifeSignals } from './life.ts';
import { compareInstalled, installChanged, installMissing, isDefined } from './missing-resources.ts';
import { jsonLog, type LogLevel, StopSignals } from './program.ts';
import type { ManagedRunnable } from './runnable-group.ts';

export interface ManagerOptions {
  /** Default: one for the cluster that kubectl would talk to, which is looked for when the manager runs. */
  readonly client?: Client;
  /** What events and requests say they come from. Default: the name of the lease, else `operator`. */
  readonly name?: string;
  /** The lease, or its name, that several processes compete for. Default: this one works without asking. */
  readonly leaderElection?: string | LeaderElectionOptions;
  /** Objects in other namespaces are of no concern. Default: all namespaces. */
  readonly namespaces?: readonly string[];
  /** Where `/healthz` and `/readyz` are served. Default: nowhere. */
  readonly health?: Address;
  /** Where `/metrics` is served; it may be the same address. Default: nowhere. */
  readonly metrics?: Address;
  /**
   * Whether resources of its controllers that the server does not serve at all are installed first. Default: true.
   * See `installResources` for those it serves.
   */
  readonly installsMissing?: boolean;
  /** Where webhooks are served, and how the API server finds them. See `webhooks`. */
  readonly webhooks?: WebhookServerOptions;
  /** How long stopping may take. Negative: as long as it takes. Default: 30 s. */
  readonly graceMs?: number;
  readonly clock?: Clock;
  /**
   * Times heartbeats: of informers, of nodes, and of whoever watches nodes.
   * Default: `clock`. A test that leaps over months lets it rest.
   */
  readonly heartbeats?: Clock;
  readonly random?: Random;
  /**
   * Default: lines of JSON on standard error when this is a program, which is when `run` is given no signal; else
   * silence. What is said before `run` is kept until then.
   */
  readonly log?: Log;
  /**
   * It runs built-in controllers, the scheduler or nodes: what it does is none of an operator's doing, and `pintle
   * observe` leaves it out. Default: false.
   */
  readonly isControlPlane?: boolean;
  /** The least that those lines tell. Default: what LOG_LEVEL says when this is a program, else info. */
  readonly logLevel?: LogLevel;
  /** Cached objects cannot be changed by mistake: for tests. */
  readonly isFrozen?: boolean;
}

const GRACE_MS = 30_000;
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What controllers have in common: one client, one cache for each kind, one lease, one life. */
export class Manager implements Runnable, ControllerDependencies {
  readonly name: string;
  readonly clock: Clock;
  readonly heartbeats: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly #options: ManagerOptions;
  readonly #late: LateTransport | undefined;
  /** Sends requests that only this way of starting needs: no role has to allow them. */
  readonly #unseen: Client;
  readonly #cluster: Cluster;
  readonly #clusters = new Map<string, Cluster>();
  readonly #controllers: Controller[] = [];
  readonly #declared = new Permissions();
  readonly #dependencies = groundOf(this, (type, verbs, subresource) =>
    this.#cluster.permissions.declare(type, verbs, subresource === undefined ? {} : { subresource }),
  );
  readonly #defined = new Set<DefinedResource>();
  readonly #meters = new ManagerMetrics();
  readonly #health = new HealthChecks('healthz', (check, error) => this.#blame(check, error));
  readonly #readiness = new HealthChecks('readyz', (check, error) => this.#blame(check, error));
  readonly #life: Life;
  readonly #served: HttpEndpoints[] = [];
  /** Keeps log lines until `run` decides where they go. */
  readonly #early: EarlyLog;
  #written: Log;
  #registry: Registry | undefined;
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
    this.#early = new EarlyLog(this.clock);
    this.#written = options.log ?? this.#early;
    this.log = new ManagerLog(() => this.#written);
    this.#late = options.client === undefined ? new LateTransport(this.clock) : undefined;
    const client = options.client ?? new Client({ transport: this.#late!, clock: this.clock, userAgent: this.name });
    this.#unseen = client;
    this.#cluster = this.#open('', client, options.namespaces);
    this.#life = new Life({
      clock: this.clock,
      graceMs: options.graceMs ?? GRACE_MS,
      warm: () => this.#warm(),
      onServing: () => this.#noteServing(),
      onLeading: (isLeading) => this.#noteLeading(isLeading),
      finish: async () => await this.#events?.close(),
    });
    this.#life.caches.add(this.#cluster.informers);
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

  /** Resources defined in code that its controllers look after. */
  get resources(): readonly DefinedResource[] {
    return [...this.#defined];
  }

  /** Right at every moment. Without leader election: whether the manager runs. */
  get isLeader(): boolean {
    return this.#elector === undefined
      ? this.#hasRun && electionOf(this.#options) === undefined
      : this.#elector.isLeader;
  }

  /** This manager's own registry, with what it counts; add what else there is to count. */
  get metrics(): Registry {
    this.#registry ??= openRegistry(this.#meters);
    return this.#registry;
  }

  /** Counts something of the operator's own, made by `counter`, `gauge` or `histogram`; gives it back. */
  count<F extends Family>(family: F): F {
    this.#meters.add(family);
    if (this.#registry !== undefined) register(this.#registry, family);
    return family;
  }

  /** What the webhook server, and others that are asked, count with. */
  get meters(): ManagerMetrics {
    return this.#meters;
  }

  /** Tells people what happened to objects. All that is recorded is sent before `run` ends. */
  get events(): EventRecorder {
    this.#events ??= new EventRecorder({
      client: this.client.live,
      component: this.name,
      clock: this.clock,
      random: this.random,
      onError: (error) => this.log.warn('Could not record an event', errorFields(error)),
    });
    return this.#events;
  }

  /** What the API server asks before it stores objects, and to convert them. Served by every replica. */
  get webhooks(): WebhookServer {
    this.#webhooks ??= this.#openWebhooks();
    return this.#webhooks;
  }

  /** Where probes and metrics are served, once they are. */
  get ports(): { readonly health?: number; readonly metrics?: number } {
    const portOf = (name: string): number | undefined => this.#served.find((each) => each.serves(name))?.port;
    const [health, metrics] = [portOf('healthz'), portOf('metrics')];
    return { ...(health !== undefined && { health }), ...(metrics !== undefined && { metrics }) };
  }

  /**
   * A controller of the objects of a kind, to be completed by `reconcile`. Where there is code to convert between its
   * versions, the manager's webhooks do so.
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
   * Runs with the manager: while it leads, or also before when the runnable says `needsLease = false`. What is added
   * while the manager runs starts at once. Names of controllers are unique.
   */
  add(runnable: Controller | ManagedRunnable): void {
    if (runnable instanceof Controller) this.#addController(runnable);
    if (isWithoutLease(runnable)) this.#life.others.add(runnable);
    else this.#life.leaders.add(runnable);
  }

  /** Another cluster, with a client and caches of its own, whose objects can be watched and written. */
  cluster(name: string, client: Client): Cluster {
    if (name === '' || this.#clusters.has(name))
      throw new TypeError(`Cannot add cluster ${JSON.stringify(name)}: there is one already`);
    const cluster = this.#open(name, client, undefined);
    this.#clusters.set(name, cluster);
    this.#life.caches.add(cluster.informers);
    return cluster;
  }

  /** `/healthz` fails while the check does: the process should be started anew. */
  addHealthCheck(name: string, check: Check): void {
    this.#health.add(name, check);
  }

  /** `/readyz` fails while the check does: the process should not be asked anything yet. */
  addReadyCheck(name: string, check: Check): void {
    this.#readiness.add(name, check);
  }

  /** The least ClusterRole that allows what controllers declared and what was asked of the server so far. */
  clusterRole({ name = this.name }: { readonly name?: string } = {}): ClusterRole {
    return this.#cluster.clusterRole({ name });
  }

  /** The same, in roles of namespaces as far as it is known which matter: for the lease, and for `namespaces`. */
  roles({ name = this.name }: { readonly name?: string } = {}): (ClusterRole | Role)[] {
    return this.#cluster.roles({ name, leaseNamespace: this.#leaseNamespace });
  }

  observe(options: ControllerOptions): ReconcileObserver {
    return this.#meters.controller(options);
  }

  /**
   * Says that the operator does this with objects of the kind: `generate manifests` allows it. For what its code does not
   * show, as when a kind is only known at run time.
   */
  declare(type: ResourceType, verbs: readonly string[], options: string | DeclareOptions = {}): void {
    const narrowed = typeof options === 'string' ? { subresource: options } : options;
    this.#cluster.permissions.declare(type, verbs, narrowed);
    this.#declared.declare(type, verbs, narrowed);
  }

  /** Rules for what was declared by `declare` alone, not by controllers and webhooks. */
  declaredRules(): PolicyRule[] {
    return this.#declared.rules();
  }

  /**
   * Works until `signal` aborts; without one, until the process is asked to stop. Resolves when everything has stopped,
   * in order. Rejects with what failed first, with an `OperatorError` when stopping takes longer than the grace, and
   * with a `ClientError` of code LeaseLost, at once, when another may lead: then the process should end. `kill` is for
   * tests of crashes: it rejects at once with the reason, everything is told to stop, and nothing is waited for.
   */
  async run({ signal, kill }: { readonly signal?: AbortSignal; readonly kill?: AbortSignal } = {}): Promise<void> {
    if (this.#hasRun) throw new TypeError('Cannot run the manager: it has run already');
    this.#hasRun = true;
    const settings = signal === undefined ? loadProgramSettings() : {};
    this.#write(settings, signal === undefined);
    if (signal !== undefined) return await abortable(this.#run({ signal, kill }, settings), kill);
    using signals = new StopSignals();
    await abortable(this.#run({ signal: signals.signal, kill }, settings), kill);
  }

  /** From now on what is logged is written, with what was said before. */
  #write({ logLevel }: ProgramSettings, isProgram: boolean): void {
    const level = this.#options.logLevel ?? logLevel;
    const ownLog = (): Log => (isProgram ? jsonLog(this.clock, undefined, { ...(level && { level }) }) : SILENT);
    this.#written = this.#options.log ?? ownLog();
    this.#early.flush(this.#written);
  }

  async #run({ signal, kill }: LifeSignals, settings: ProgramSettings): Promise<void> {
    try {
      const config = await this.#late?.open();
      await this.#trace();
      await this.#webhooks?.prepare(settings.webhooks, { signal });
      this.#serve();
      await this.#install(signal, settings);
      this.log.info('Started', { manager: this.name });
      const leaseNamespace = await this.#findLeaseNamespace(settings, signal);
      await this.#life.run(this.#elect(leaseNamespace ?? config?.namespace), { signal, kill });
      this.log.info('Stopped', { manager: this.name });
    } catch (error) {
      // Told to stop before it was at work, it has nothing to finish: that is no failure.
      if (!signal.aborted || kill?.aborted || !isCausedBy(error, signal.reason)) throw error;
      this.log.info('Stopped', { manager: this.name });
    } finally {
      await this.#late?.close();
    }
  }

  /** Whoever starts the program may want all definitions to be those of the code, or to hear which are not. */
  async #install(signal: AbortSignal, { definitions, descriptionsFile }: ProgramSettings): Promise<void> {
    if (this.#defined.size === 0) return;
    const { log, name, resources } = this;
    const options = { client: this.client.live, fieldManager: name, log, signal };
    try {
      if (definitions === 'install') {
        const descriptions = await readDescriptions(descriptionsFile);
        return await installChanged(resources, { ...options, client: this.#unseen, descriptions });
      }
      if (this.#options.installsMissing !== false) await installMissing(resources, options);
      if (definitions === 'compare') await compareInstalled(resources, { ...options, client: this.#unseen });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
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
        unseen: this.#unseen,
        meter: (path) => new WebhookMeter(this.#meters, path),
        declare: (type, verbs, options) => this.#cluster.permissions.declare(type, verbs, options),
      },
      this.#options.webhooks,
    );
    this.#life.webhooks.add(webhooks);
    this.addReadyCheck('webhooks', () => (webhooks.isReady ? undefined : 'webhooks are not served yet'));
    return webhooks;
  }

  #addController(controller: Controller): void {
    if (this.#controllers.some(({ name }) => name === controller.name))
      throw new TypeError(`Cannot add controller ${JSON.stringify(controller.name)}: there is one already`);
    this.#controllers.push(controller);
    this.#meters.watchQueue(controller.name, controller.queue);
  }

  #open(name: string, client: Client, namespaces: readonly string[] | undefined): Cluster {
    const { heartbeats, random, log } = this;
    const { isFrozen = false } = this.#options;
    const interceptors = [this.#count, this.#follow];
    const requester =
      name === '' ? { manager: this.name, isControlPlane: this.#options.isControlPlane ?? false } : undefined;
    return new Cluster({ name, client, requester, interceptors, clock: heartbeats, random, log, isFrozen, namespaces });
  }

  readonly #count: Interceptor = async (request, next) => {
    try {
      const response = await next(request);
      this.#meters.requests.cell(`${response.status}`, request.method, this.#late?.host ?? '').add();
      return response;
    } catch (error) {
      this.#meters.requests.cell('<error>', request.method, this.#late?.host ?? '').add();
      throw error;
    }
  };

  readonly #follow: Interceptor = (request, next) =>
    this.#tracing === undefined ? next(request) : this.#tracing.request(request, next);

  async #trace(): Promise<void> {
    this.#tracing = await openTracing();
    if (this.#tracing !== undefined) this.#meters.surround(this.#tracing.reconcile);
  }

  /** The namespace that whoever started the program says, unless the code says one. */
  async #findLeaseNamespace(
    { leaseNamespace: namespace }: ProgramSettings,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const election = electionOf(this.#options);
    if (election === undefined || election.namespace !== undefined || namespace === undefined) return undefined;
    return await makeLeaseNamespace(namespace, { client: this.#unseen, log: this.log, signal });
  }

  #elect(namespace = 'default'): LeaderElector | undefined {
    const election = electionOf(this.#options);
    if (election === undefined) return undefined;
    this.#leaseNamespace = election.namespace ?? namespace;
    const where = { namespace: this.#leaseNamespace };
    this.#cluster.permissions.declare(Lease, ['create', 'get', 'update', 'watch'], where);
    const { clock, random, log } = this;
    const dependencies = { client: this.client.live, namespace: this.#leaseNamespace, clock, random, log };
    this.#elector = createElector(election, dependencies);
    return this.#elector;
  }

  /** One listener for each address that is asked for. */
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
      this.#life.endpoints.add(served);
    }
  }

  async #expose(): Promise<{ status: number; contentType: string; body: string }> {
    return { status: 200, contentType: this.metrics.contentType, body: await this.metrics.metrics() };
  }

  /** Caches and queues of standbys are filled before they lead: taking over then takes no time. */
  #warm(): void {
    for (const controller of this.#controllers) controller.warm();
  }

  /** Ports may be any that were free. */
  #noteServing(): void {
    const webhooks = this.#webhooks?.port;
    const ports = { ...this.ports, ...(webhooks !== undefined && { webhooks }) };
    if (Object.keys(ports).length > 0) this.log.info('Serving', ports);
  }

  #noteLeading(isLeading: boolean): void {
    const election = electionOf(this.#options);
    if (election === undefined) return;
    this.#meters.leading.cell(election.name).value = isLeading ? 1 : 0;
    if (this.#hasRun) this.log.info(isLeading ? 'Became the leader' : 'Stopped leading', { lease: election.name });
  }

  *#watchChecks(): Iterable<readonly [string, Check]> {
    yield* watchChecks(this.informers);
    for (const { name, informers } of this.#clusters.values()) yield* watchChecks(informers, name);
  }

  #blame(check: string, error: unknown): void {
    this.log.warn('A health check failed', { check, ...errorFields(error) });
  }
}

/** The log that is in use: which one it is is known when the manager runs. */
class ManagerLog implements Log {
  readonly #written: () => Log;

  constructor(written: () => Log) {
    this.#written = written;
  }

  readonly info: Log['info'] = (message, fields) => this.#written().info(message, fields);
  readonly warn: Log['warn'] = (message, fields) => this.#written().warn(message, fields);
  readonly error: Log['error'] = (message, fields) => this.#written().error(message, fields);

  get debug(): Log['debug'] {
    const log = this.#written();
    return log.debug && ((message, fields) => log.debug?.(message, fields));
  }
}

/** Returns the manager as its controllers see it: what they declare is not told apart from what they do. */
function groundOf(manager: Manager, declare: NonNullable<ControllerDependencies['declare']>): ControllerDependencies {
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
    get events() {
      return manager.events;
    },
    observe: (options) => manager.observe(options),
    declare,
  };
}

function electionOf({ leaderElection }: ManagerOptions): LeaderElectionOptions | undefined {
  return typeof leaderElection === 'string' ? { name: leaderElection } : leaderElection;
}

function isWithoutLease(runnable: ManagedRunnable): boolean {
  return runnable.needsLease === false;
}

const MAX_CAUSES = 10;

/** Whether an error is the reason, or came about by it. */
function isCausedBy(error: unknown, reason: unknown): boolean {
  let current = error;
  for (let count = 0; count < MAX_CAUSES && current !== undefined; count++) {
    if (current === reason) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
}
