import { type Clock, realClock, SeededRandom } from '@pintle/async';
import { Client, type NamespacedRef, type ObjectRef, retry, type Transport } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Lease } from '@pintle/kinds/coordination/v1';
import { Namespace, Node } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { errorText } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';
import { type Conversion, type DefinedResource, type Log, Manager, Webhooks } from '@pintle/operator';
import { ADMIN, type Backend, type ListenOptions, type User, userOf } from '../backend/backend.ts';
import type { ClusterTurn, Creator } from '../backend/cluster-turn.ts';
import { chooseBackend } from '../backend/environment.ts';
import { MemoryBackend } from '../backend/memory-backend.ts';
import {
  mortalClock,
  type PlaneClock,
  realPlaneClock,
  restingClock,
  type SlowAdvance,
  type Stepped,
  SteppedPlaneClock,
} from '../clock/plane-clock.ts';
import type { Standstill } from '../clock/standstill.ts';
import { toMs } from '../duration.ts';
import { Faults } from '../faults/faults.ts';
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
import { firstOwnPlace } from '../wait/own-frames.ts';
import { CONTROL_PLANE_ACTOR, type EventuallyOptions, type IdleOptions, Waiter } from '../wait/waiter.ts';
import { WebhookDoors } from '../webhooks/webhook-doors.ts';
import { WebhookFront } from '../webhooks/webhook-front.ts';
import { holdBack } from '../wire/hold-back.ts';
import type { Actor } from '../wire/passage.ts';
import type { Watches } from '../wire/watches.ts';
import { Wire } from '../wire/wire.ts';
import { createManifests } from './deployed-manifests.ts';
import { createFixtures } from './fixtures.ts';
import { bornBefore, removeLeftovers } from './leftovers.ts';
import { Operator, type Setup } from './operator.ts';
import { tellAvailable, tellReady } from './set-available.ts';
import { describeSlowness } from './slowness.ts';

/** What of an object must be so; what it does not mention may be anything. */
export type Expected<T> = T extends readonly (infer E)[]
  ? readonly Expected<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Expected<T[K]> | undefined }
    : T;

/** A control plane inside the test. */
export class ControlPlane implements AsyncDisposable {
  /** Talks to the server as somebody who may do everything; the request log calls it `test`. */
  readonly client: Client;
  readonly clock: PlaneClock;
  /** What goes wrong on the way to the server. */
  readonly faults: Faults;
  readonly #options: ControlPlaneOptions;
  readonly #random: SeededRandom;
  readonly #wire: Wire;
  readonly #doors = new WebhookDoors(() => this.#wire.open());
  /** Converts objects of the plane's definitions until an operator says that it does. */
  #conversions: WebhookHandlers | undefined;
  readonly #waiter: Waiter;
  /**
   * What the server and the ways to it measure time by: it rests where only controllers are to set timers, and is the
   * machine's where the server is elsewhere.
   */
  readonly #heartbeats: Clock;
  readonly #operators: Operator[] = [];
  readonly #managers: { readonly manager: Manager; isRunning: boolean }[] = [];
  readonly #complaints: string[] = [];
  #backend: Backend | undefined;
  /** Name of clients from outside. */
  #outsideActor: string | undefined;
  /** Where a server that is elsewhere asks the webhooks of operators here. */
  #front: WebhookFront | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** Ends when the plane has closed, and with it all that runs here and nobody stopped. */
  readonly #life = new AbortController();
  #closing: Promise<void> | undefined;
  /** On a cluster that is there: until it is this process's, nothing is done there. */
  #turn: ClusterTurn | undefined;
  readonly #creator: Creator;

  private constructor(options: ControlPlaneOptions, startedMs: number) {
    const { clock } = options;
    this.#options = options;
    this.#random = new SeededRandom(options.seed ?? 1);
    this.faults = new Faults(() => faultRandom);
    const faultRandom = this.#random.fork('faults');
    const server = chooseBackend(options.env ?? process.env).kind;
    const isElsewhere = server !== 'memory';
    const isSequential = clock?.isConcurrent === false && !isElsewhere;
    this.#wire = new Wire(this.faults, () => this.clock, { isSequential, server });
    this.clock = clock === undefined ? realPlaneClock : this.#steppedClock(clock, isElsewhere);
    this.#heartbeats = isElsewhere ? realClock : clock?.isQuiet ? restingClock(this.clock) : this.clock;
    this.#waiter = new Waiter({
      wire: this.#wire,
      clock: this.clock,
      server,
      startedMs,
      patienceMs: patienceOf(options),
      complaints: this.#complaints,
      managers: () => this.#runningManagers(),
      check: () => this.#check(),
    });
    this.client = this.#clientOf({ name: 'test' }, ADMIN);
    const { creations } = this.#wire;
    this.#creator = {
      get creations() {
        return creations?.paths ?? [];
      },
      close: () => this.close(),
    };
  }

  /** Where the server is elsewhere, what the test moves begins with the machine's time: certificates are good from then on. */
  #steppedClock({ startMs }: Stepped, isElsewhere: boolean): SteppedPlaneClock {
    const settle = (): Promise<void> => this.#wire.settle();
    const onSlow = (progress: SlowAdvance): void => process.emitWarning(describeSlowness(progress, this.requests));
    return new SteppedPlaneClock({ startMs: isElsewhere ? Math.floor(realClock.now()) : startMs, settle, onSlow });
  }

  /** `startedMs`: when the test asked for it, by the machine's clock. */
  static async start(options: ControlPlaneOptions = {}, startedMs = realClock.monotonic()): Promise<ControlPlane> {
    const plane = new ControlPlane(continued(options), startedMs);
    try {
      await plane.#open();
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  /** What was asked of the server, by whom. */
  get requests(): RequestLog {
    return this.#wire.log;
  }

  /** The watches that are open. */
  get watches(): Watches {
    return this.#wire.watches;
  }

  /** What operators and controllers have warned of, and what the server could not explain. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** A client that speaks as a user, or as a service account: `system:serviceaccount:NAMESPACE:NAME`. */
  as(user: string | User): Client {
    const known = typeof user === 'string' ? this.#userOf(user) : user;
    return this.#clientOf({ name: known.username }, known);
  }

  /** A manager on this plane's server and clock, which the test runs: `manager.run({ signal })`. It ends with the plane. */
  manager(options: PlaneManagerOptions = {}): Manager {
    const life = this.#life.signal;
    const manager = this.#createManager(options, { name: options.name ?? 'operator', life });
    const run = manager.run.bind(manager);
    const known = { manager, isRunning: false };
    this.#managers.push(known);
    manager.run = async (signals = {}) => {
      known.isRunning = true;
      try {
        await run({ kill: life, ...signals });
      } catch (error) {
        if (!life.aborted) throw error;
      } finally {
        known.isRunning = false;
      }
    };
    return manager;
  }

  /** Runs an operator until the plane closes: its process may crash, and be started again. */
  operator(setup: Setup, options: OperatorOptions = {}): Operator {
    const name = options.name ?? 'operator';
    let starts = 0;
    const dependencies = {
      createManager: (chosen: OperatorOptions, life: AbortSignal, onWrite: () => void, standstill: Standstill) =>
        this.#createManager(chosen, { name, life, standstill, onWrite: countsLasting(onWrite) }, `${name}/${starts++}`),
      onFailure: (error: unknown) => {
        this.#failure ??= { error };
      },
    };
    const operator = new Operator(dependencies, setup, options);
    this.#operators.push(operator);
    return operator;
  }

  /**
   * Runs an operator as a cluster would by its manifests: as its service account, with its roles and no others, its lease
   * and its webhooks. Resolves when its webhooks are asked. `manifests`: the folder or file that `pintle generate manifests`
   * wrote, by default `manifests`. The request log calls it by the name of its service account.
   */
  async deploy(setup: Setup, { manifests = 'manifests', ...options }: DeployOptions = {}): Promise<Operator> {
    const { name, namespace, user } = await createManifests(this.client, manifests);
    const operator = this.operator(setup, { name, user, leaderElection: { name, namespace }, ...options });
    await this.eventually(() => operator.isRunning && operator.manager.webhooks.isReady);
    return operator;
  }

  /**
   * Looks again and again, letting everything run and time pass, until `look` gives something, and gives that. What it
   * throws means that it is not so yet.
   */
  eventually<T>(look: () => T | Promise<T>, options?: EventuallyOptions): Promise<NonNullable<Exclude<T, false>>> {
    return this.#waiter.eventually(look, options);
  }

  /** Resolves once no informer, queue or controller has anything left to do, now or within the horizon. */
  untilIdle(options?: IdleOptions): Promise<void> {
    return this.#waiter.untilIdle(options);
  }

  /** Resolves with the object once it has what is expected; fails by telling what differs. */
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

  /** Resolves once there is no such object. */
  async untilGone(type: ResourceType, ref: ObjectRef, options?: EventuallyOptions): Promise<void> {
    await this.#waiter.eventually(async () => {
      const found = await this.client.find(type, ref);
      if (found === undefined) return true;
      const { deletionTimestamp, finalizers = [] } = found.metadata;
      const why =
        deletionTimestamp === undefined ? 'nobody deleted it' : `held by ${finalizers.join(', ') || 'nothing'}`;
      throw new Error(`${type.kind} ${ref.name} is still there, ${why}`);
    }, options);
  }

  /**
   * Stands in for what would run the pods of a Deployment: so many of them are available from now on. A cluster that has
   * controllers is told of the pods, and tells of the Deployment itself.
   */
  async setAvailable(deployment: NamespacedRef, count: number): Promise<void> {
    if (this.#started().kind !== 'existing cluster') return await tellAvailable(this.client, deployment, count);
    await this.eventually(() => tellReady(this.client, deployment, count, new Date(this.clock.now())));
    const available = async (): Promise<number> =>
      (await this.client.get(Deployment, deployment)).status?.availableReplicas ?? 0;
    await this.eventually(async () => (await available()) === count);
  }

  /**
   * Whoever it concerns sees the world as it is now, and no newer, whether it lists or watches, also after it was started
   * anew: until the result is disposed of. What it gets and writes one by one is as it is.
   */
  async staleCaches(
    filter: Pick<RequestFilter, 'actor' | 'group' | 'resource' | 'namespace'> = {},
  ): Promise<Disposable> {
    const { metadata } = await this.client.list(Namespace, { limit: 1 });
    return holdBack(filter, metadata.resourceVersion ?? '', { faults: this.faults, watches: this.watches });
  }

  /** Somebody else holds the lease from now on: whoever led by it has lost it, and learns of it when it renews. */
  async takeLease({ namespace, name }: NamespacedRef, holder = 'somebody-else'): Promise<void> {
    const { spec } = await this.client.get(Lease, { namespace, name });
    const renewTime = formatMicroTime(Math.floor(this.clock.now()) * 1_000);
    const leaseTransitions = (spec?.leaseTransitions ?? 0) + 1;
    const body = { spec: { holderIdentity: holder, acquireTime: renewTime, renewTime, leaseTransitions } };
    await this.client.patch(Lease, { namespace, name }, { type: 'merge', body });
  }

  /** Makes the server reachable from outside the process, and gives its address. */
  async listen(options: ListenOptions = {}): Promise<string> {
    this.#outsideActor = options.actor ?? this.#outsideActor;
    return await this.#started().listen(options);
  }

  /** For kubectl and other programs: the server is then reachable from outside. Default: as somebody who may do everything. */
  async kubeconfig({ user }: { readonly user?: string } = {}): Promise<string> {
    return await this.#started().kubeconfig(user === undefined ? ADMIN : this.#userOf(user));
  }

  /**
   * What the server holds now, for any number of planes to begin with: `startControlPlane({ from: snapshot })`. Whatever
   * runs on this plane is not part of it.
   */
  async snapshot(): Promise<PlaneSnapshot> {
    await this.#wire.settle();
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

  /** Another plane with what this one's server holds, at its time, with the same controllers and nodes. */
  async fork(): Promise<ControlPlane> {
    return await ControlPlane.start({ from: await this.snapshot() });
  }

  /** Stops everything that runs here. May be called twice. */
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
      this.#doors.open(conversions);
    }
    if (backend.kind !== 'memory') this.#front = await WebhookFront.listen(() => this.#webhookPorts());
    if (backend.kind === 'existing cluster') await this.#takeTurn(backend);
    await createFixtures(this.#directClient(), this.#options, {
      onCreated: (path) => this.#wire.creations?.add(path),
      addressOf: (webhooks) => this.#addressOf(webhooks),
      convertedBy: (resource) => this.#convertedBy(resource, backend),
      isShared: backend.kind === 'existing cluster',
      release: async (path) => (await this.#turn?.closeCreatorOf(path, this.#creator)) ?? false,
    });
    const { controllers = [], nodes = 0 } = this.#options;
    // A cluster has controllers of its own. One without nodes gets simulated ones, where a test needs some.
    if (backend.kind !== 'existing cluster') await this.#runControllers(controllers, nodes);
    else if (nodes > 0 && (await this.client.list(Node, { limit: 1 })).items.length === 0)
      await this.#runControllers([], nodes);
  }

  /** Tests of other processes run on the cluster too: one after the other. */
  async #takeTurn(backend: Backend): Promise<void> {
    const { ClusterTurn } = await import('../backend/cluster-turn.ts');
    const turn = ClusterTurn.at(await backend.listen({}));
    const client = this.#directClient();
    this.#turn = turn;
    await turn.join(this.#creator, client, async ({ paths, bornBeforeMs }) =>
      removeLeftovers(client, await bornBefore(client, paths, bornBeforeMs)),
    );
    if (this.#wire.creations !== undefined) this.#wire.creations.onAdded = () => turn.note();
  }

  /** Not by the wire: what it asks for is not part of the test. */
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
          interceptWebhooks: this.#doors.intercept,
          ...(from && { disk: from.disk.copy() }),
          fromOutside: ({ method, path, query, headers }, handle) =>
            this.#wire.fromOutside(
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
    this.#life.abort(new Error('The plane was closed'));
    if (this.#backend?.kind === 'existing cluster')
      this.#complaints.push(...(await removeLeftovers(this.#directClient(), this.#creator.creations)));
    await this.#turn?.leave(this.#creator);
    await this.#front?.[Symbol.asyncDispose]();
    await this.#backend?.close();
  }

  /** Whoever was asked to stop and waits for time to pass waits for ever: nobody moves the clock any more. */
  async #stopOperators(): Promise<void> {
    const stopped = Promise.all(this.#operators.map((operator) => operator.stop()));
    await this.#waiter.untilStill(stopped, { withinMs: STOP_WITHIN_MS });
    for (const operator of this.#operators) operator.endStopping();
    await stopped;
  }

  #started(): Backend {
    if (this.#backend === undefined) throw new Error('Cannot reach the server: the plane has not started');
    return this.#backend;
  }

  #addressOf(webhooks: WebhookHandlers): string {
    if (this.#started().kind === 'memory') return this.#doors.open(webhooks);
    throw new Error(`Cannot let the server ask ${webhooks.name}: it is not in this process. Give webhooks a port.`);
  }

  /** The functions are at hand here. A server that is elsewhere refuses to convert until an operator serves them. */
  #convertedBy(resource: object, { kind }: Backend): { readonly url: string } | undefined {
    if (kind !== 'memory' || !isConverted(resource)) return undefined;
    const known = this.#conversions instanceof Webhooks ? this.#conversions : new Webhooks({ name: CONVERSIONS });
    this.#conversions = known.convert(resource);
    return { url: `${this.#addressOf(known)}${CONVERT_PATH}` };
  }

  #userOf(name: string): User {
    return userOf(name, this.#options.users?.[name]?.groups);
  }

  #createManager(options: PlaneManagerOptions, actor: Process, seed = actor.name): Manager {
    const { user, log, ...rest } = options;
    const random = this.#random.fork(seed);
    const { life, standstill } = actor;
    const clock = mortalClock(this.clock, life, standstill);
    const heartbeats = this.#heartbeats === this.clock ? clock : mortalClock(this.#heartbeats, life, standstill);
    const client = this.#clientOf(actor, user === undefined ? ADMIN : this.#userOf(user), heartbeats);
    const isHere = this.#backend?.kind === 'memory';
    return new Manager({
      isFrozen: true,
      ...rest,
      // The server asks an operator's own webhooks without a port; one that is elsewhere, on any that is free.
      webhooks: isHere
        ? { ...rest.webhooks, door: (webhooks) => this.#addressOf(webhooks) }
        : { port: 0, ...(this.#front && { url: this.#front.url }), ...rest.webhooks },
      // As `connect` makes them: what the server puts off is tried again.
      client: client.intercepted(retry({ clock: heartbeats, random: random.fork('retry') })),
      clock,
      heartbeats,
      random,
      log: this.#listening(actor, log),
    });
  }

  #clientOf(actor: Actor, user: User, clock = this.#heartbeats): Client {
    let transport: Transport | undefined;
    const send: Transport['send'] = async (request) => {
      transport ??= this.#started().connect(user);
      return await transport.send(request);
    };
    return new Client({
      transport: this.#wire.connect(actor, { send, isProbed: true }),
      clock,
      userAgent: actor.name,
    });
  }

  /** A process that is gone says nothing. */
  #listening({ name, life }: Process, log: Log | undefined): Log {
    const note = (level: 'warn' | 'error') => (message: string, fields?: object) => {
      if (life.aborted) return;
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
  }
}

const CONVERSIONS = 'plane-conversions';
const CONVERT_PATH = '/convert';

function isConverted(resource: object): resource is DefinedResource & { readonly conversion: Conversion } {
  return 'conversion' in resource && resource.conversion !== undefined;
}

/** So long operators may take to stop, in everybody's time. */
const STOP_WITHIN_MS = 2_000;
/** An operator, or a manager that the test runs, as long as it lives. */
type Process = Actor & { readonly life: AbortSignal };

const NO_SNAPSHOTS = 'Cannot take or use a snapshot: the server is not in this process';

function patienceOf({ patience = process.env.PINTLE_TEST_PATIENCE }: ControlPlaneOptions): number | undefined {
  return patience === undefined || patience === '' ? undefined : toMs(patience);
}

/** What the plane of the snapshot was started with goes on, unless something else is said. */
function continued(options: ControlPlaneOptions): ControlPlaneOptions {
  if (options.from === undefined) return options;
  const { nowMs, options: before } = options.from;
  const all = { ...before, ...options, users: { ...before.users, ...options.users } };
  return all.clock === undefined ? all : { ...all, clock: { ...all.clock, startMs: nowMs } };
}

/** Events and leases are told, not kept: they do not count. */
function countsLasting(onWrite: () => void): NonNullable<Actor['onWrite']> {
  return ({ resource }) => {
    if (resource !== 'events' && resource !== 'leases') onWrite();
  };
}

/** Differ each time, where the rest says the same again. */
const EACH_TIME: ReadonlySet<string> = new Set(['reconcileId', 'retryAfterMs']);

/**
 * Returns the fields in one line, with the first place in the person's own code instead of a stack: test runners would take
 * the lines of a stack for the test's own.
 */
function describeFields(fields: object = {}): string {
  const { stack, ...rest } = fields as { readonly stack?: unknown };
  const words = JSON.stringify(Object.fromEntries(Object.entries(rest).filter(([name]) => !EACH_TIME.has(name))));
  const place = typeof stack === 'string' ? firstOwnPlace(stack) : undefined;
  return place === undefined ? words : `${words} (${place})`;
}
