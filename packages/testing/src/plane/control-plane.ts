import { type Clock, realClock, SeededRandom } from '@pintle/async';
import { Client, type NamespacedRef, type ObjectRef, retry, type Transport } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Lease } from '@pintle/kinds/coordination/v1';
import { Namespace, Node } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { errorText, isForbidden } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';
import { type Conversion, type DefinedResource, type Log, Manager, Webhooks } from '@pintle/operator';
import { ADMIN, type Backend, type ListenOptions, type User, userOf } from '../backend/backend.ts';
import type { ClusterLock, Creator } from '../backend/cluster-lock.ts';
import { chooseBackend } from '../backend/environment.ts';
import { MemoryBackend } from '../backend/memory-backend.ts';
import {
  clockWithoutTimers,
  killableClock,
  type PlaneClock,
  realPlaneClock,
  type SlowAdvance,
  type Stepped,
  SteppedPlaneClock,
} from '../clock/plane-clock.ts';
import type { Standstill } from '../clock/standstill.ts';
import { toMs } from '../duration.ts';
import { Faults } from '../faults/faults.ts';
import type { Actor } from '../intercept/intercepted-request.ts';
import { RequestInterceptor } from '../intercept/request-interceptor.ts';
import { serveStaleReads } from '../intercept/stale-reads.ts';
import type { Watches } from '../intercept/watches.ts';
import type {
  ControlPlaneOptions,
  DeployOptions,
  OperatorOptions,
  PlaneManagerOptions,
  PlaneSnapshot,
  WebhookHandlers,
} from '../options.ts';
import type { RequestFilter, RequestLog } from '../requests/request-log.ts';
import { describeDifferences, differences } from '../wait/diff.ts';
import { firstOwnLocation } from '../wait/own-frames.ts';
import { CONTROL_PLANE_ACTOR, type EventuallyOptions, type IdleOptions, Waiter } from '../wait/waiter.ts';
import { whyNotGone } from '../wait/why-not-gone.ts';
import { InProcessWebhooks } from '../webhooks/in-process-webhooks.ts';
import { WebhookProxy } from '../webhooks/webhook-proxy.ts';
import { createManifests } from './deployed-manifests.ts';
import { createFixtures } from './fixtures.ts';
import { createdBefore, removeLeftovers } from './leftovers.ts';
import { Operator, type Setup } from './operator.ts';
import { setDeploymentAvailable, setPodsReady } from './set-available.ts';
import { describeSlowness } from './slowness.ts';
import { reportUnawaited } from './unawaited.ts';

/** Fields that an object must have; fields that are not mentioned may have any value. */
export type Expected<T> = T extends readonly (infer E)[]
  ? readonly Expected<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Expected<T[K]> | undefined }
    : T;

/** Options whose snapshot is read. */
type ResolvedOptions = Omit<ControlPlaneOptions, 'from'> & { readonly from?: PlaneSnapshot };

/** A control plane inside the test. */
export class ControlPlane implements AsyncDisposable {
  /** Talks to the server as an administrator; the request log calls it `test`. */
  readonly client: Client;
  readonly clock: PlaneClock;
  /** Faults to inject into requests. */
  readonly faults: Faults;
  readonly #options: ResolvedOptions;
  readonly #random: SeededRandom;
  readonly #interceptor: RequestInterceptor;
  readonly #inProcessWebhooks = new InProcessWebhooks(() => this.#interceptor.allowNested());
  /** Converts objects of the plane's definitions until an operator registers its conversion webhook. */
  #conversions: WebhookHandlers | undefined;
  readonly #waiter: Waiter;
  /**
   * Clock of the server and of connections to it. Its timers never fire on a quiet clock, where only controllers set timers;
   * it is the machine's clock when the server is in another process.
   */
  readonly #heartbeats: Clock;
  readonly #operators: Operator[] = [];
  readonly #managers: { readonly manager: Manager; isRunning: boolean }[] = [];
  readonly #complaints: string[] = [];
  #backend: Backend | undefined;
  /** Name of clients from outside. */
  #outsideActor: string | undefined;
  /** Address at which a server in another process calls the webhooks of operators here. */
  #webhookProxy: WebhookProxy | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** First reconcile that did not await what it began, and whether a wait of the test has told of it. */
  #mistake: { readonly error: Error; isTold: boolean } | undefined;
  /** Aborts when the plane has closed, and ends what still runs on it. */
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;
  /** On an existing cluster: held before anything is done there. */
  #clusterLock: ClusterLock | undefined;
  readonly #creator: Creator;

  private constructor(options: ResolvedOptions, startedMs: number) {
    const { clock } = options;
    this.#options = options;
    this.#random = new SeededRandom(options.seed ?? 1);
    this.faults = new Faults(() => faultRandom);
    const faultRandom = this.#random.fork('faults');
    const server = chooseBackend(options.env ?? process.env).kind;
    const isRemote = server !== 'memory';
    const isSequential = clock?.isConcurrent === false && !isRemote;
    this.#interceptor = new RequestInterceptor(this.faults, () => this.clock, { isSequential, server });
    this.clock = clock === undefined ? realPlaneClock : this.#steppedClock(clock, isRemote);
    this.#heartbeats = isRemote ? realClock : clock?.isQuiet ? clockWithoutTimers(this.clock) : this.clock;
    this.#waiter = new Waiter({
      interceptor: this.#interceptor,
      clock: this.clock,
      server,
      startedMs,
      patienceMs: patienceOf(options),
      complaints: this.#complaints,
      managers: () => this.#runningManagers(),
      check: () => this.#check(),
      closed: this.#closed.signal,
    });
    this.client = this.#clientOf({ name: 'test' }, ADMIN);
    const { creations } = this.#interceptor;
    this.#creator = {
      get creations() {
        return creations?.paths ?? [];
      },
      close: () => this.close(),
    };
  }

  /** With a server in another process, the clock starts at the machine's time, because certificates are valid from then on. */
  #steppedClock({ startMs }: Stepped, isRemote: boolean): SteppedPlaneClock {
    const settle = (): Promise<void> => this.#interceptor.settle();
    const onSlow = (progress: SlowAdvance): void => process.emitWarning(describeSlowness(progress, this.requests));
    return new SteppedPlaneClock({ startMs: isRemote ? Math.floor(realClock.now()) : startMs, settle, onSlow });
  }

  /** `startedMs`: time of the test's call, by the machine's clock. */
  static async start(options: ControlPlaneOptions = {}, startedMs = realClock.monotonic()): Promise<ControlPlane> {
    const plane = new ControlPlane(continued(options, await options.from), startedMs);
    try {
      await plane.#open();
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  /** Log of all requests to the server, with their senders. */
  get requests(): RequestLog {
    return this.#interceptor.log;
  }

  /** Open watches. */
  get watches(): Watches {
    return this.#interceptor.watches;
  }

  /** Warnings and errors of operators and controllers, and unexpected errors of the server. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** Returns a client that acts as a user, or as a service account: `system:serviceaccount:NAMESPACE:NAME`. */
  as(user: string | User): Client {
    const known = typeof user === 'string' ? this.#userOf(user) : user;
    return this.#clientOf({ name: known.username }, known);
  }

  /** Creates a manager on this plane's server and clock. The test runs it, `manager.run({ signal })`; it ends with the plane. */
  manager(options: PlaneManagerOptions = {}): Manager {
    const killed = this.#closed.signal;
    const manager = this.#createManager(options, { name: options.name ?? 'operator', killed });
    const run = manager.run.bind(manager);
    const known = { manager, isRunning: false };
    this.#managers.push(known);
    manager.run = async (signals = {}) => {
      known.isRunning = true;
      try {
        await run({ kill: killed, ...signals });
      } catch (error) {
        if (!killed.aborted) throw error;
      } finally {
        known.isRunning = false;
      }
    };
    return manager;
  }

  /** Runs an operator until the plane closes. A test may crash its process and start it again. */
  operator(setup: Setup, options: OperatorOptions = {}): Operator {
    const name = options.name ?? 'operator';
    let starts = 0;
    const dependencies = {
      createManager: (chosen: OperatorOptions, killed: AbortSignal, onWrite: () => void, standstill: Standstill) =>
        this.#createManager(
          chosen,
          { name, killed, standstill, onWrite: ignoringEphemeral(onWrite) },
          `${name}/${starts++}`,
        ),
      onFailure: (error: unknown) => {
        this.#failure ??= { error };
      },
    };
    const operator = new Operator(dependencies, setup, options);
    this.#operators.push(operator);
    return operator;
  }

  /**
   * Runs an operator as a cluster would by its manifests: as its service account, with only its roles, its lease and its
   * webhooks. Resolves when the server calls its webhooks. `manifests`: the folder or file that `pintle generate manifests`
   * wrote, by default `manifests`. The request log calls it by the name of its service account.
   */
  async deploy(setup: Setup, { manifests = 'manifests', ...options }: DeployOptions = {}): Promise<Operator> {
    const { name, namespace, user } = await createManifests(this.client, manifests);
    const operator = this.operator(setup, { name, user, leaderElection: { name, namespace }, ...options });
    try {
      await this.eventually(() => operator.isRunning && operator.manager.webhooks.isReady);
    } catch (error) {
      throw isForbidden(error) ? new Error(outOfDate(manifests, error), { cause: error }) : error;
    }
    return operator;
  }

  /**
   * Repeats `attempt` until it returns something that is not false, undefined or null, and returns that. In between, all work
   * runs and time passes. An error that `attempt` throws counts as not yet.
   */
  eventually<T>(attempt: () => T | Promise<T>, options?: EventuallyOptions): Promise<NonNullable<Exclude<T, false>>> {
    return this.#waiter.eventually(attempt, options);
  }

  /** Resolves once no informer, queue or controller has anything left to do, now or within the horizon. */
  untilIdle(options?: IdleOptions): Promise<void> {
    return this.#waiter.untilIdle(options);
  }

  /** Resolves with the object once it has the expected fields. Rejects with the differences. */
  untilMatches<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    expected: Expected<T>,
    options?: EventuallyOptions,
  ): Promise<T> {
    return this.#waiter.eventually(async () => {
      const found = await this.client.get(type, ref);
      const different = differences(expected, found);
      if (different.length === 0) return found;
      throw new Error(`${type.kind} ${ref.name} is not as expected (-), but (+)\n${describeDifferences(different)}`);
    }, options) as Promise<T>;
  }

  /** Resolves once the object does not exist. */
  async untilGone(type: ResourceType, ref: ObjectRef, options?: EventuallyOptions): Promise<void> {
    await this.#waiter.eventually(async () => {
      const found = await this.client.find(type, ref);
      if (found === undefined) return true;
      const { controllers = [] } = this.#options;
      const own = this.#started().kind === 'existing cluster' ? undefined : controllers;
      throw new Error(`${type.kind} ${ref.name} still exists ${whyNotGone(found, own)}`);
    }, options);
  }

  /**
   * Makes `count` pods of a Deployment available, in place of nodes that would run them. On an existing cluster it sets the
   * status of pods, and the controllers of the cluster update the Deployment.
   */
  async setAvailable(deployment: NamespacedRef, count: number): Promise<void> {
    if (this.#started().kind !== 'existing cluster')
      return await setDeploymentAvailable(this.client, deployment, count);
    await this.eventually(() => setPodsReady(this.client, deployment, count, new Date(this.clock.now())));
    const available = async (): Promise<number> =>
      (await this.client.get(Deployment, deployment)).status?.availableReplicas ?? 0;
    await this.eventually(async () => (await available()) === count);
  }

  /**
   * Freezes lists and watches of matching requests at the present state until the result is disposed of, also for processes
   * that start meanwhile. Gets and writes of single objects are not affected.
   */
  async staleCaches(
    filter: Pick<RequestFilter, 'actor' | 'group' | 'resource' | 'namespace'> = {},
  ): Promise<Disposable> {
    const { metadata } = await this.client.list(Namespace, { limit: 1 });
    return serveStaleReads(filter, metadata.resourceVersion ?? '', { faults: this.faults, watches: this.watches });
  }

  /** Gives the lease to another holder. The process that led by it has lost it, and learns so when it renews. */
  async takeLease({ namespace, name }: NamespacedRef, holder = 'another-process'): Promise<void> {
    const { spec } = await this.client.get(Lease, { namespace, name });
    const renewTime = formatMicroTime(Math.floor(this.clock.now()) * 1_000);
    const leaseTransitions = (spec?.leaseTransitions ?? 0) + 1;
    const body = { spec: { holderIdentity: holder, acquireTime: renewTime, renewTime, leaseTransitions } };
    await this.client.patch(Lease, { namespace, name }, { type: 'merge', body });
  }

  /** Makes the server reachable from outside the process, and returns its address. */
  async listen(options: ListenOptions = {}): Promise<string> {
    this.#outsideActor = options.actor ?? this.#outsideActor;
    return await this.#started().listen(options);
  }

  /** Returns a kubeconfig for kubectl and other programs, and makes the server reachable. Default: of an administrator. */
  async kubeconfig({ user }: { readonly user?: string } = {}): Promise<string> {
    return await this.#started().kubeconfig(user === undefined ? ADMIN : this.#userOf(user));
  }

  /**
   * Copies all objects of the server; any number of planes can start with them: `startControlPlane({ from: snapshot })`.
   * Operators and controllers that run on this plane are not part of it.
   */
  async snapshot(): Promise<PlaneSnapshot> {
    await this.#interceptor.settle();
    const disk = this.#started().copy?.();
    if (disk === undefined) throw new Error(NO_SNAPSHOTS);
    const { crds: _crds, objects: _objects, users, seed = 1, from: _from, ...options } = this.#options;
    const groups = Object.entries(users ?? {}).map(([name, user]) => [name, { groups: user.groups ?? [] }] as const);
    return {
      nowMs: this.clock.now(),
      disk,
      ...(this.#conversions && { conversions: this.#conversions }),
      options: { ...options, users: Object.fromEntries(groups), seed: `${seed}/fork` },
    };
  }

  /** Starts another plane with the same objects, time, controllers and nodes. */
  async fork(): Promise<ControlPlane> {
    return await ControlPlane.start({ from: await this.snapshot() });
  }

  /**
   * Stops everything that runs here. May be called twice. Rejects when a reconcile did not await what it began and no wait of
   * the test said so: a retry hides that mistake.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(): Promise<void> {
    const backend = await this.#openBackend();
    this.#backend = backend;
    const { conversions } = this.#options.from ?? {};
    if (conversions !== undefined) {
      this.#conversions = conversions;
      this.#inProcessWebhooks.register(conversions);
    }
    if (backend.kind !== 'memory') this.#webhookProxy = await WebhookProxy.listen(() => this.#webhookPorts());
    if (backend.kind === 'existing cluster') await this.#lockCluster(backend);
    await createFixtures(this.#directClient(), this.#options, {
      onCreated: (path) => this.#interceptor.creations?.add(path),
      addressOf: (webhooks) => this.#addressOf(webhooks),
      conversionWebhookOf: (resource) => this.#conversionWebhookOf(resource, backend),
      isShared: backend.kind === 'existing cluster',
      release: async (path) => (await this.#clusterLock?.closeCreatorOf(path, this.#creator)) ?? false,
    });
    const { controllers = [], nodes = 0 } = this.#options;
    // A cluster has its controllers. One without nodes gets simulated nodes when a test needs some.
    if (backend.kind !== 'existing cluster') await this.#runControllers(controllers, nodes);
    else if (nodes > 0 && (await this.client.list(Node, { limit: 1 })).items.length === 0)
      await this.#runControllers([], nodes);
  }

  /** Waits until no other process tests on the cluster. */
  async #lockCluster(backend: Backend): Promise<void> {
    const { ClusterLock } = await import('../backend/cluster-lock.ts');
    const lock = ClusterLock.at(await backend.listen({}));
    const client = this.#directClient();
    this.#clusterLock = lock;
    await lock.join(this.#creator, client, async ({ paths, createdBeforeMs }) =>
      removeLeftovers(client, await createdBefore(client, paths, createdBeforeMs)),
    );
    if (this.#interceptor.creations !== undefined) this.#interceptor.creations.onAdded = () => lock.note();
  }

  /** Returns a client whose requests are neither logged nor subject to faults: they are not part of the test. */
  #directClient(): Client {
    const admin = this.#started().connect(ADMIN);
    const send: Transport['send'] = (request) =>
      admin.send({ ...request, headers: { 'audit-id': 'fixture', ...request.headers } });
    return new Client({ transport: { send } });
  }

  async #openBackend(): Promise<Backend> {
    const { from, env = process.env } = this.#options;
    const choice = chooseBackend(env);
    if (choice.kind !== 'memory' && from !== undefined) throw new Error(NO_SNAPSHOTS);
    switch (choice.kind) {
      case 'existing cluster':
        return await (await import('../backend/existing-cluster.ts')).openExistingCluster(env);
      case 'binaries':
        return await (await import('../backend/binaries.ts')).openBinaries(choice);
      case 'memory':
        return await MemoryBackend.open({
          clock: this.#heartbeats,
          random: this.#random.fork('server'),
          interceptWebhooks: this.#inProcessWebhooks.intercept,
          ...(from && { disk: from.disk.copy(), isComplete: !from.isForeign }),
          fromOutside: ({ method, path, query, headers }, handle) =>
            this.#interceptor.fromOutside(
              { method, path, query, headers: headers as Record<string, string> },
              handle,
              this.#outsideActor,
            ),
          onError: (error, where) => this.#complaints.push(`server: ${where}: ${errorText(error)}`),
        });
    }
  }

  async #runControllers(controllers: readonly string[], nodes: number): Promise<void> {
    if (controllers.length === 0 && nodes === 0) return;
    const { addBuiltinControllers, addSimulatedNodes } = await import('@pintle/controllers');
    const { pods: rule } = this.#options;
    const options = this.#started().controllerOptions();
    const setup = (manager: Manager): void => {
      addBuiltinControllers(manager, controllers, options);
      if (nodes > 0) addSimulatedNodes(manager, nodes, { ...(rule && { rule }) });
    };
    this.operator(setup, { name: CONTROL_PLANE_ACTOR, isControlPlane: true });
  }

  async #close(): Promise<void> {
    await this.#stopOperators();
    this.#closed.abort(new Error('The plane was closed'));
    if (this.#backend?.kind === 'existing cluster')
      this.#complaints.push(...(await removeLeftovers(this.#directClient(), this.#creator.creations)));
    await this.#clusterLock?.leave(this.#creator);
    await this.#webhookProxy?.[Symbol.asyncDispose]();
    await this.#backend?.close();
    if (this.#mistake !== undefined && !this.#mistake.isTold) throw this.#mistake.error;
  }

  /** Stops operators, and kills those that wait for the clock: it does not move any more. */
  async #stopOperators(): Promise<void> {
    const stopped = Promise.all(this.#operators.map((operator) => operator.stop()));
    await this.#waiter.untilQuiet(stopped, { withinMs: STOP_WITHIN_MS });
    for (const operator of this.#operators) operator.endStopping();
    await stopped;
  }

  #started(): Backend {
    if (this.#backend === undefined) throw new Error('Cannot reach the server: the plane has not started');
    return this.#backend;
  }

  #addressOf(webhooks: WebhookHandlers): string {
    if (this.#started().kind === 'memory') return this.#inProcessWebhooks.register(webhooks);
    throw new Error(`Cannot serve webhooks of ${webhooks.name}: the server is in another process; give them a port`);
  }

  /** Serves conversions in this process. A server in another process refuses to convert until an operator serves them. */
  #conversionWebhookOf(resource: object, { kind }: Backend): { readonly url: string } | undefined {
    if (kind !== 'memory' || !isConverted(resource)) return undefined;
    const known = this.#conversions instanceof Webhooks ? this.#conversions : new Webhooks({ name: CONVERSIONS });
    this.#conversions = known.convert(resource);
    return { url: `${this.#addressOf(known)}${CONVERT_PATH}` };
  }

  #userOf(name: string): User {
    return userOf(name, this.#options.users?.[name]?.groups);
  }

  #createManager(options: PlaneManagerOptions, actor: Process, seed = actor.name): Manager {
    const { user, log, allowsUnawaited = false, ...rest } = options;
    const random = this.#random.fork(seed);
    const { killed, standstill } = actor;
    const clock = killableClock(this.clock, killed, standstill);
    const heartbeats = this.#heartbeats === this.clock ? clock : killableClock(this.#heartbeats, killed, standstill);
    const client = this.#clientOf(actor, user === undefined ? ADMIN : this.#userOf(user), heartbeats);
    const isHere = this.#backend?.kind === 'memory';
    const manager = new Manager({
      isFrozen: true,
      ...rest,
      // A server in this process calls webhooks without a port; a server in another process, on any free port.
      webhooks: isHere
        ? { ...rest.webhooks, connectInProcess: (webhooks) => this.#addressOf(webhooks) }
        : { port: 0, ...(this.#webhookProxy && { url: this.#webhookProxy.url }), ...rest.webhooks },
      // Retries what the server asks to retry, as clients of `connect` do.
      client: client.intercepted(retry({ clock: heartbeats, random: random.fork('retry') })),
      clock,
      heartbeats,
      random,
      log: this.#collectingLog(actor, log),
    });
    if (!allowsUnawaited) reportUnawaited(manager, (error) => (this.#mistake ??= { error, isTold: false }));
    return manager;
  }

  #clientOf(actor: Actor, user: User, clock = this.#heartbeats): Client {
    let transport: Transport | undefined;
    const send: Transport['send'] = async (request) => {
      transport ??= this.#started().connect(user);
      return await transport.send(request);
    };
    return new Client({
      transport: this.#interceptor.connect(actor, { send, isProbed: true }),
      clock,
      userAgent: actor.name,
    });
  }

  /** Returns a log that also collects warnings and errors, until the process is killed. */
  #collectingLog({ name, killed }: Process, log: Log | undefined): Log {
    const note = (level: 'warn' | 'error') => (message: string, fields?: object) => {
      if (killed.aborted) return;
      this.#complaints.push(`${name}: ${message} ${describeFields(fields)}`);
      log?.[level](message, fields);
    };
    return { info: (message, fields) => log?.info(message, fields), warn: note('warn'), error: note('error') };
  }

  #webhookPorts(): number[] {
    return this.#runningManagers().flatMap(({ webhooks }) => (webhooks.isReady ? (webhooks.port ?? []) : []));
  }

  #runningManagers(): Manager[] {
    return [
      ...this.#operators.filter(({ isRunning }) => isRunning).map(({ manager }) => manager),
      ...this.#managers.filter(({ isRunning }) => isRunning).map(({ manager }) => manager),
    ];
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#mistake === undefined) return;
    this.#mistake.isTold = true;
    throw this.#mistake.error;
  }
}

/** Returns the message of a refused start: rights to start follow from the code, so the manifests are mostly those of earlier code. */
function outOfDate(manifests: string, refusal: unknown): string {
  return `Cannot deploy ${manifests}: its roles do not let the operator start; run pintle generate manifests when the code has changed: ${errorText(refusal)}`;
}

const CONVERSIONS = 'plane-conversions';
const CONVERT_PATH = '/convert';

function isConverted(resource: object): resource is DefinedResource & { readonly conversion: Conversion } {
  return 'conversion' in resource && resource.conversion !== undefined;
}

/** Limit for operators to stop, in real time. */
const STOP_WITHIN_MS = 2_000;
/** An operator, or a manager that the test runs. */
type Process = Actor & { readonly killed: AbortSignal };

const NO_SNAPSHOTS = 'Cannot take or use a snapshot: the server is not in this process';

function patienceOf({ patience = process.env.PINTLE_TEST_PATIENCE }: ControlPlaneOptions): number | undefined {
  return patience === undefined || patience === '' ? undefined : toMs(patience);
}

/** Returns the options, with those of the snapshot's plane as defaults. */
function continued({ from, ...options }: ControlPlaneOptions, snapshot: PlaneSnapshot | undefined): ResolvedOptions {
  if (snapshot === undefined) return options;
  const { nowMs, options: before } = snapshot;
  const { from: _, ...earlier } = before;
  const all = { ...earlier, ...options, from: snapshot, users: { ...before.users, ...options.users } };
  return all.clock === undefined ? all : { ...all, clock: { ...all.clock, startMs: nowMs } };
}

/** Counts neither events nor leases. */
function ignoringEphemeral(onWrite: () => void): NonNullable<Actor['onWrite']> {
  return ({ resource }) => {
    if (resource !== 'events' && resource !== 'leases') onWrite();
  };
}

/** Fields that differ in messages which are otherwise the same. */
const VARYING_FIELDS: ReadonlySet<string> = new Set(['reconcileId', 'retryAfterMs']);

/**
 * Returns the fields in one line, with the first location in the user's code instead of a stack: test runners would take
 * the lines of a stack for those of the test.
 */
function describeFields(fields: object = {}): string {
  const { stack, ...rest } = fields as { readonly stack?: unknown };
  const text = JSON.stringify(Object.fromEntries(Object.entries(rest).filter(([name]) => !VARYING_FIELDS.has(name))));
  const location = typeof stack === 'string' ? firstOwnLocation(stack) : undefined;
  return location === undefined ? text : `${text} (${location})`;
}
