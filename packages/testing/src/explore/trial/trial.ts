import { hash } from 'node:crypto';
import { ADMIN } from '../../backend/backend.ts';
import type { PlaneSnapshot } from '../../options.ts';
import type { ControlPlane } from '../../plane/control-plane.ts';
import type { OvertakenProcess } from '../../plane/operator.ts';
import { startControlPlane } from '../../start-control-plane.ts';
import { CONTROL_PLANE_ACTOR } from '../../wait/waiter.ts';
import { ENDLESS } from '../model/finding.ts';
import type { ExploreOptions, ScenarioContext } from '../model/options.ts';
import type { Plan, PlannedFault, ScenarioCut } from '../model/plan.ts';
import type { ChanceNames } from '../world/chance-names.ts';
import { withoutNumber } from '../world/compare.ts';
import { changedObjects, readWorld, type World, type WorldResource } from '../world/world.ts';
import { Collector } from './collector.ts';
import { ManagedOperator, type OperatorProcess } from './operator-process.ts';
import { OPERATOR, Probe } from './probe.ts';
import { ProgramOperator } from './program-operator.ts';
import { Rejections } from './rejections.ts';
import type { ReconcileFailure, TraceEntry, TraceNote } from './trace.ts';

/** Result of a run. */
export interface Outcome {
  readonly plan: Plan;
  readonly entries: readonly TraceEntry[];
  readonly notes: readonly TraceNote[];
  readonly struck: ReadonlySet<PlannedFault>;
  /** Objects at the end. */
  readonly world: World;
  /** Objects at each rest, for watched runs. */
  readonly worlds: readonly World[];
  /** Number of rests. */
  readonly rests: number;
  readonly steps: readonly string[];
  readonly blindDeletions: readonly TraceEntry[];
  /** Reconciles whose last attempt failed, by `fruit default/apple`. */
  readonly failures: ReadonlyMap<string, ReconcileFailure>;
  /** Reconciles that ended before their calls, with the error. */
  readonly unawaited: ReadonlyMap<string, string>;
  /** Invariants that did not hold. */
  readonly broken: readonly { readonly name: string; readonly message: string; readonly rest: number }[];
  readonly rejections: readonly string[];
  /** Reason why it did not come to rest. */
  readonly restless: string | undefined;
  /** True when the operator wrote at once what another client had deleted or changed. */
  readonly isRepaired: boolean;
  /** Objects with another spec or data after the operator was restarted at the end, when that was asked for. */
  readonly changedByRestart: readonly string[];
  /** Error of the scenario while the operator saw everything. */
  readonly scenarioError: string | undefined;
  /** True when the scenario failed because of the fault itself: the run is not judged. */
  readonly isInconclusive: boolean;
  /** True when the run ended early, at a state of a run that had ended well. */
  readonly isCutShort: boolean;
  /** Reconciles during the scenario, in order. */
  readonly reconciles: readonly { readonly reconcile: string; readonly nth: number }[];
  /** Number of open watches of the operator at the end. */
  readonly watches: number;
  /** Written resources. */
  readonly resources: ReadonlyMap<string, WorldResource>;
  /** Digest of all requests. */
  readonly trace: string;
}

export interface TrialOptions {
  readonly explore: ExploreOptions & Required<Pick<ExploreOptions, 'scenario'>>;
  readonly base: PlaneSnapshot;
  readonly plan: Plan;
  /** Resources to compare, besides those that are written in the run. */
  readonly resources: ReadonlyMap<string, WorldResource>;
  /** Names that the operator makes of what differs by chance. */
  readonly names: ChanceNames;
  /** True to read all objects at each rest. */
  readonly isWatched?: boolean;
  /** Delay of each rest, to find fields that depend on time. */
  readonly delayMs?: number;
  /** True to restart the operator at the end, when it rests. */
  readonly isRestarted?: boolean;
  /** True to let ten minutes pass at the end although nothing is due. */
  readonly isQuietLong: boolean;
  /** Called at a rest when all faults have occurred; true ends the run. */
  readonly isKnown?: (rest: number, world: World, outcome: { readonly restarted: boolean }) => boolean;
}

/** Time within which informers list again and clients retry. */
const PAUSE_MS = 2_000;
const FINAL_PAUSE_MS = 30_000;
/** Reconciles that are due later are not waited for. */
const SOON_MS = 60_000;
const FINALLY_SOON_MS = 1_100_000;
/** Reconciles in a row without a write after which the operator only polls. */
const IDLE_ROUNDS = 3;
const FINAL_IDLE_ROUNDS = 12;
const MAX_ROUNDS = 200;
/** Pauses to wait for a lease: that of a killed process lasts for 15 seconds by default. */
const MAX_WAITS = 30;
const QUIET = '10m';

const CONTROLLERS = { ...ADMIN, username: CONTROL_PLANE_ACTOR };

function isRun(name: string, { controllers = [] }: ExploreOptions): boolean {
  return (controllers.includes(name) || controllers.includes('*')) && !controllers.includes(`-${name}`);
}

/** Runs a scenario with the faults of a plan. */
export async function runTrial(options: TrialOptions): Promise<Outcome> {
  return await new Trial(options).run();
}

class Cut extends Error {}

class Trial {
  readonly #options: TrialOptions;
  readonly #steps: string[] = [];
  readonly #worlds: World[] = [];
  readonly #broken: { name: string; message: string; rest: number }[] = [];
  #plane!: ControlPlane;
  #probe!: Probe;
  #collector!: Collector;
  #operator!: OperatorProcess;
  #overtaken: OvertakenProcess | undefined;
  #restless: string | undefined;
  #scenarioError: string | undefined;
  #isRepaired = false;
  #changedByRestart: readonly string[] = [];
  #isInconclusive = false;
  #isCutShort = false;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  async run(): Promise<Outcome> {
    using rejections = new Rejections();
    const { base, plan, explore } = this.#options;
    await explore.reset?.();
    await using plane = await startControlPlane({ from: base, seed: plan.seed, env: {} });
    this.#plane = plane;
    this.#collector = new Collector({
      isCollecting: !isRun('garbage-collector-controller', explore),
      isReleasing: !isRun('persistentvolumeclaim-protection-controller', explore),
    });
    const dependencies = {
      plane,
      faults: plan.faults,
      collector: this.#collector,
      names: this.#options.names,
      crash: () => this.#restart(),
      overtake: () => this.#overtake(),
      isSynced: () => this.#operator.isSynced,
      endLoop: (reason: string) => {
        this.#restless ??= reason;
        this.#operator.crash();
      },
    };
    this.#probe = new Probe(dependencies);
    await this.#probe.open();
    this.#probe.onAgain = () => this.#enqueueAll();
    this.#operator = await this.#openOperator();
    try {
      await this.#runScenario();
      const world = await this.#end();
      return this.#outcome(world, rejections.messages);
    } finally {
      await this.#operator.close();
    }
  }

  async #openOperator(): Promise<OperatorProcess> {
    const plane = this.#plane;
    const { program, operator: setup, manager: options } = this.#options.explore;
    if (program !== undefined)
      return await ProgramOperator.open({
        plane,
        program,
        actor: OPERATOR,
        onExit: (reason) => this.#probe.note(`the program ended: ${reason}`),
      });
    const operator = plane.operator(
      async (manager) => {
        this.#probe.observe(manager);
        await setup?.(manager);
      },
      { ...options, name: OPERATOR, allowsUnawaited: true },
    );
    return new ManagedOperator(plane, operator);
  }

  async #runScenario(): Promise<void> {
    try {
      await this.#atRest(0);
      await this.#options.explore.scenario(this.#context());
      if (this.#probe.hasNewsOfTest) await this.#settle(this.#options.plan.scenario);
    } catch (error) {
      if (error instanceof Cut) return;
      if (this.#probe.isViewHeld || this.#isHampered) this.#isInconclusive = true;
      else this.#scenarioError = error instanceof Error ? error.message : String(error);
    }
  }

  /** True when the operator had no chance to do what the scenario expects. */
  get #isHampered(): boolean {
    return [...this.#probe.struck].some(({ kind }) => kind === 'hurry' || kind === 'absent' || kind === 'unseen');
  }

  #context(): ScenarioContext {
    const cut: ScenarioCut = this.#options.plan.scenario;
    return {
      client: this.#plane.client,
      plane: this.#plane,
      settle: async () => await this.#settle(cut),
      advance: async (by) => await this.#plane.clock.advance(by),
      step: async (name, act) => {
        this.#steps.push(name);
        return cut.without?.includes(name) ? undefined : await act();
      },
    };
  }

  async #settle(cut: ScenarioCut): Promise<void> {
    const rest = this.#probe.rest + 1;
    const hurry = this.#faults('hurry').find((fault) => fault.rest === rest);
    if (hurry === undefined) await this.#atRest(rest);
    else await this.#hurry(hurry);
    if (cut.rests !== undefined && rest >= cut.rests) throw new Cut();
  }

  /** Continues the scenario while the operator works. */
  async #hurry(fault: PlannedFault & { readonly kind: 'hurry' }): Promise<void> {
    if (fault.writes > 0) {
      const resting = new AbortController();
      const rested = this.#rest({ stop: resting.signal });
      await Promise.race([this.#probe.untilEffects(fault.writes), rested]);
      resting.abort();
    }
    this.#probe.rest = fault.rest;
    this.#probe.strike(fault, 'the scenario continues before the operator has come to rest');
  }

  async #atRest(rest: number): Promise<void> {
    await this.#rest();
    if (this.#restless !== undefined) throw new Cut();
    this.#probe.rest = rest;
    while (this.#probe.healAtRest() || this.#probe.healOthers()) await this.#rest();
    if (this.#enqueuePutOff()) await this.#rest();
    await this.#strikeAtRest(rest);
    await this.#check(rest);
    if (this.#options.isWatched) this.#worlds.push(await this.#world());
    await this.#leaveIfKnown(rest);
  }

  /** Ends the run at a state that is known to end well. */
  async #leaveIfKnown(rest: number): Promise<void> {
    const { isKnown, plan } = this.#options;
    if (
      isKnown === undefined ||
      rest === 0 ||
      this.#overtaken !== undefined ||
      this.#probe.isViewHeld ||
      !this.#operator.isRunning
    )
      return;
    if (plan.faults.some((fault) => !this.#probe.struck.has(fault))) return;
    const restarted = this.#operator.starts > 1;
    if (!isKnown(rest, await this.#world(), { restarted })) return;
    this.#isCutShort = true;
    throw new Cut();
  }

  async #strikeAtRest(rest: number): Promise<void> {
    for (const fault of this.#options.plan.faults) {
      if (fault.kind === 'absent' && fault.from === rest) {
        this.#probe.strike(fault, 'the operator is stopped');
        this.#operator.crash();
      }
      if (fault.kind === 'absent' && fault.until === rest && !this.#operator.isRunning) {
        this.#probe.note('the operator is started');
        this.#start();
        await this.#rest();
      }
      if (fault.kind === 'past' && fault.restart === rest) await this.#visitPast(fault);
      if (fault.kind === 'paused' && fault.until === rest) await this.#goOn();
      if (fault.kind === 'deleted' && fault.rest === rest) await this.#deleteByAnother(fault);
      if (fault.kind === 'edited' && fault.rest === rest) await this.#editByAnother(fault);
    }
  }

  async #visitPast(fault: PlannedFault & { kind: 'past' }): Promise<void> {
    const revision = this.#probe.pastOf(fault);
    if (revision === undefined) return;
    this.#probe.strike(fault, `the operator is restarted, and sees the objects as after “${fault.from}”`);
    this.#probe.showPast(fault, revision);
    this.#restart();
    await this.#rest();
    this.#probe.heal('past');
    await this.#rest();
    this.#probe.isCatchingUp = false;
  }

  #overtake(): void {
    this.#overtaken = this.#operator.overtake();
    this.#probe.reconnect();
  }

  /** Continues the paused process for a moment, then ends it as one that lost its lease. */
  async #goOn(): Promise<void> {
    if (this.#overtaken === undefined) return;
    this.#probe.note('the paused process continues');
    this.#overtaken.resume();
    await this.#plane.clock.advance(0);
    // A process that is killed does not learn of the response, and the write would not be known.
    await this.#probe.untilOvertakenAnswered();
    this.#overtaken.kill();
    this.#overtaken = undefined;
    this.#probe.endOvertaken();
    await this.#rest();
  }

  async #deleteByAnother(fault: PlannedFault & { kind: 'deleted' }): Promise<void> {
    const path = this.#pathOf(fault.object);
    if (path === undefined) return;
    this.#probe.strike(fault, `another client deletes ${fault.object}`);
    const answer = await this.#probe.explorer.call({ method: 'DELETE', path }).catch(() => undefined);
    this.#collector.noteDeleted(answer);
    await this.#restAfter(fault);
  }

  async #editByAnother(fault: PlannedFault & { kind: 'edited' }): Promise<void> {
    const path = this.#pathOf(fault.object);
    if (path === undefined) return;
    this.#probe.strike(fault, `another client changes ${fault.field.join('.')} of ${fault.object}`);
    await this.#edit(path, fault.field).catch(() => undefined);
    await this.#restAfter(fault);
  }

  /** Rests, and notes whether the operator wrote the object at once. */
  async #restAfter({ object }: { readonly object: string }): Promise<void> {
    const before = this.#probe.entries.length;
    await this.#rest();
    this.#isRepaired ||= this.#probe.entries
      .slice(before)
      .some((entry) => entry.party === 'operator' && entry.hasEffect && entry.object === withoutNumber(object));
  }

  async #edit(path: string, field: readonly string[]): Promise<void> {
    const object = await this.#probe.explorer.call({ method: 'GET', path });
    const value = field.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], object);
    const other =
      typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${String(value)}-edited`;
    const body = field.reduceRight<unknown>((inner, name) => ({ [name]: inner }), other);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await this.#probe.explorer.call({
      method: 'PATCH',
      path,
      headers,
      body: Buffer.from(JSON.stringify(body)),
    });
    this.#probe.noteObject(answer);
  }

  #pathOf(object: string): string | undefined {
    const [word = '', place = ''] = object.split(' ');
    const known = this.#options.resources.get(word);
    if (known === undefined) return undefined;
    const [namespace, name] = place.includes('/') ? place.split('/') : [undefined, place];
    const root = known.group === '' ? `/api/${known.version}` : `/apis/${known.group}/${known.version}`;
    return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${known.resource}/${name}`;
  }

  /** Waits until nothing is left to do, including reconciles that are due soon. */
  async #rest({
    isFinal = false,
    stop,
  }: {
    readonly isFinal?: boolean;
    readonly stop?: AbortSignal;
  } = {}): Promise<void> {
    if (this.#restless !== undefined) return;
    const { clock } = this.#plane;
    const soonMs = isFinal ? FINALLY_SOON_MS : SOON_MS;
    const allowed = isFinal ? FINAL_IDLE_ROUNDS : IDLE_ROUNDS;
    try {
      await clock.advance((isFinal ? FINAL_PAUSE_MS : PAUSE_MS) + (this.#options.delayMs ?? 0));
      for (let rounds = 0, idle = 0, waits = 0; rounds < MAX_ROUNDS; rounds++) {
        if (stop?.aborted) return;
        await this.#operator.untilIdle();
        if (stop === undefined && (await this.#collector.collect(this.#callAsController))) {
          await clock.advance(PAUSE_MS);
          continue;
        }
        if (!this.#operator.isRunning || stop?.aborted) return;
        if (!this.#operator.isLeader && waits++ < MAX_WAITS) {
          await clock.advance(PAUSE_MS);
          continue;
        }
        const dueMs = this.#operator.nextDueMs;
        if (dueMs > soonMs || idle >= allowed) return;
        const before = this.#probe.effects;
        await clock.advance(Math.max(dueMs, 1));
        idle = this.#probe.effects === before ? idle + 1 : 0;
      }
      this.#restless = ENDLESS;
    } catch (error) {
      this.#restless = (error instanceof Error ? error.message : String(error)).split('\n')[0];
    }
  }

  readonly #callAsController = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const bytes = body && { headers, body: Buffer.from(JSON.stringify(body)) };
    return await this.#plane.as(CONTROLLERS).call({ method, path, ...bytes });
  };

  /** Ends all faults after the scenario, and waits for the final state. */
  async #end(): Promise<World> {
    if (this.#isCutShort) return this.#worlds.at(-1) ?? new Map();
    await this.#goOn();
    if (this.#probe.heal()) await this.#rest();
    this.#probe.healOthers();
    if (!this.#operator.isRunning) this.#start();
    this.#enqueuePutOff();
    await this.#rest({ isFinal: true });
    await this.#check(this.#probe.rest + 1);
    this.#probe.phase = 'quiet';
    if (this.#restless === undefined) await this.#beQuiet();
    const world = await this.#world();
    this.#probe.phase = 'again';
    if (this.#restless === undefined) {
      this.#enqueueAll();
      await this.#rest();
    }
    if (this.#options.isRestarted) await this.#restartAtRest();
    this.#probe.isOff = true;
    return world;
  }

  /** Restarts an operator that has nothing to do: a new process should find everything as it wants it. */
  async #restartAtRest(): Promise<void> {
    const isBusy = this.#probe.failures.size > 0 || this.#operator.nextDueMs <= PAUSE_MS + SOON_MS;
    if (this.#restless !== undefined || isBusy) return;
    const before = await this.#world();
    this.#probe.phase = 'restarted';
    this.#probe.note('the operator is restarted');
    this.#restart();
    await this.#rest();
    this.#changedByRestart = changedObjects(before, await this.#world());
  }

  async #beQuiet(): Promise<void> {
    const isDue = this.#operator.nextDueMs < 600_000;
    if (this.#options.isQuietLong || isDue) await this.#plane.clock.advance(QUIET);
  }

  async #check(rest: number): Promise<void> {
    // An operator that is stopped, or does not see what happens, cannot keep a condition.
    if (!this.#operator.isRunning || this.#probe.isViewHeld) return;
    const { invariants = {} } = this.#options.explore;
    for (const [name, holds] of Object.entries(invariants)) {
      this.#probe.isOff = true;
      try {
        if ((await holds({ client: this.#plane.client, plane: this.#plane })) === false)
          this.#broken.push({ name, message: 'it returned false; throw an error to give the reason', rest });
      } catch (error) {
        this.#broken.push({ name, message: error instanceof Error ? error.message : String(error), rest });
      } finally {
        this.#probe.isOff = false;
      }
    }
  }

  async #world(): Promise<World> {
    const { explorer, generatedNames } = this.#probe;
    return await readWorld(explorer, this.#resources().values(), generatedNames, this.#options.names);
  }

  #resources(): Map<string, WorldResource> {
    return new Map([...this.#options.resources, ...this.#probe.written]);
  }

  #restart(): void {
    this.#operator.crash();
    this.#start();
  }

  #start(): void {
    this.#probe.reconnect();
    this.#operator.start();
  }

  #enqueuePutOff(): boolean {
    const postponed = this.#probe.takePutOff();
    if (postponed.length === 0 || !this.#operator.isRunning) return false;
    this.#operator.enqueue(postponed);
    return true;
  }

  #enqueueAll(): void {
    this.#operator.enqueue(this.#probe.requests);
  }

  #faults<K extends PlannedFault['kind']>(kind: K): (PlannedFault & { readonly kind: K })[] {
    return this.#options.plan.faults.filter((fault) => fault.kind === kind) as (PlannedFault & { readonly kind: K })[];
  }

  #outcome(world: World, rejections: readonly string[]): Outcome {
    const probe = this.#probe;
    return {
      plan: this.#options.plan,
      entries: probe.entries,
      notes: probe.notes,
      struck: probe.struck,
      world,
      worlds: this.#worlds,
      rests: probe.rest,
      steps: this.#steps,
      blindDeletions: probe.blindDeletions,
      failures: probe.failures,
      unawaited: probe.unawaited,
      broken: this.#broken,
      rejections,
      restless: this.#restless,
      scenarioError: this.#scenarioError,
      isRepaired: this.#isRepaired,
      changedByRestart: this.#changedByRestart,
      isInconclusive: this.#isInconclusive,
      isCutShort: this.#isCutShort,
      reconciles: probe.reconciles,
      watches: this.#plane.watches.list({ actor: OPERATOR }).length,
      resources: this.#resources(),
      trace: hash('sha256', this.#plane.requests.toString(), 'hex'),
    };
  }
}
