import { realClock } from '@pintle/async';
import { stepped } from '../clock/plane-clock.ts';
import type { PlaneSnapshot } from '../options.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { ExploreError } from './errors.ts';
import { judge, judgeFaultless, needsFresh } from './judge/judge.ts';
import { addMatcher } from './matcher.ts';
import { type Finding, type Rule, signatureOf, type Violation } from './model/finding.ts';
import type { ExploreOptions } from './model/options.ts';
import type { Plan, PlannedFault, ScenarioCut } from './model/plan.ts';
import { type Faults, Planner } from './planner/planner.ts';
import { findingOf } from './report/finding.ts';
import { coverageOf, type Report, Strikes } from './report/report.ts';
import { shrink } from './shrink/shrink.ts';
import { type Outcome, runTrial } from './trial/trial.ts';
import { ChanceNames } from './world/chance-names.ts';
import { Mask } from './world/compare.ts';
import { Relations } from './world/relations.ts';
import { digestOf, type World, type WorldResource } from './world/world.ts';

const SECONDS = 30;
/** Shortest time for shrinking, which may begin at the end of the budget. */
const LEAST_SHRINKING_SECONDS = 10;
const FINDINGS = 5;
/** Plans between two calls of `onProgress`. */
const REPORT_EVERY = 20;

/**
 * Runs an operator through a scenario again and again, each time with another fault, and reports the runs that end differently:
 *
 *     const report = await explore({ crds: [Fruit], operator: addFruitController, scenario, budget: { seconds: 30 } });
 *     expect(report).toHaveNoFindings();
 *
 * The same options and seed lead to the same runs; only their number depends on the time.
 */
export async function explore(options: ExploreOptions): Promise<Report> {
  addMatcher();
  const { scenario = options.inputs?.scenario(options.plan?.seed ?? options.seed ?? 1) } = options;
  if (scenario === undefined)
    throw new TypeError('Cannot explore: neither scenario nor inputs is set; set inputs: fromSchema(Fruit)');
  if ((options.operator === undefined) === (options.program === undefined))
    throw new TypeError('Cannot explore: set either operator or program');
  return await new Exploration({ ...options, scenario }).run();
}

type Complete = ExploreOptions & Required<Pick<ExploreOptions, 'scenario'>>;

class Exploration {
  readonly #options: Complete;
  readonly #startedMs = realClock.monotonic();
  readonly #mask = new Mask();
  #relations = Relations.none;
  #names = ChanceNames.none;
  readonly #references = new Map<string, Outcome>();
  /** Objects after an operator was started at the end of a scenario only, by scenario. */
  readonly #fresh = new Map<string, World | undefined>();
  /** Digests of the worlds at rests of runs that ended well. */
  readonly #known = new Set<string>();
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<Finding, number>();
  readonly #bySignature = new Map<string, Finding>();
  readonly #strikes = new Strikes();
  /** Results of faults in which another client deletes or edits a dependent, by resource. */
  readonly #drift = new Map<string, Drift>();
  readonly #notes = new Set<string>();
  #base!: PlaneSnapshot;
  #reference!: Outcome;
  #resources: ReadonlyMap<string, WorldResource> = new Map();
  #isQuietLong = false;
  /** Plans with one fault that the time or the number of plans left out. */
  #untried = new Set<Faults>();
  #plans = 0;
  #cutShort = 0;
  #inconclusive = 0;
  #firstFindingMs: number | undefined;

  constructor(options: Complete) {
    this.#options = options;
  }

  async run(): Promise<Report> {
    if (this.#options.program !== undefined) this.#notes.add(PROGRAM);
    await this.#learn();
    const { plan } = this.#options;
    if (plan !== undefined) await this.#replay(plan);
    else {
      await this.#explore();
      await this.#judgeDrift();
    }
    return this.#report();
  }

  get #seed(): number | string {
    return this.#options.plan?.seed ?? this.#options.seed ?? 1;
  }

  /**
   * Runs the scenario without faults, with different seeds and times, to find the fields that differ by chance. The first run
   * only finds out which resources are written: the others read them from the beginning.
   */
  async #learn(): Promise<void> {
    this.#base = await this.#prepare();
    const free = { faults: [], scenario: {} };
    const first = await this.#trial({ ...free, seed: `${this.#seed}/first` }, {});
    this.#resources = first.resources;
    const runOther = () =>
      this.#trial({ ...free, seed: `${this.#seed}/other` }, { delayMs: 7_000, isQuietLong: true, isWatched: true });
    let other = await runOther();
    this.#resources = other.resources;
    this.#names = ChanceNames.between(first.world, other.world);
    if (!this.#names.isEmpty) other = await runOther();
    // An operator that writes only when something is due is not watched for ten minutes after each run.
    this.#isQuietLong = other.entries.some(
      ({ phase, party, hasEffect }) => phase === 'quiet' && party === 'operator' && hasEffect,
    );
    this.#reference = await this.#trial(free, { isWatched: true });
    this.#mask.learn(this.#reference.world, other.world);
    for (const [rest, world] of this.#reference.worlds.entries()) {
      const same = other.worlds[rest];
      if (same !== undefined) this.#mask.learn(world, same);
    }
    this.#relations = Relations.between([this.#reference.world, other.world], this.#mask);
    this.#references.set('{}', this.#reference);
    for (const [rest, world] of this.#reference.worlds.entries()) this.#known.add(this.#keyOf(rest, world, false));
    const { scenarioError, failures } = this.#reference;
    if (scenarioError !== undefined) throw new ExploreError(scenarioError, failures);
    const faultless = await this.#trialFaultless({ ...free, seed: this.#seed });
    const violations = judgeFaultless(faultless, this.#options.ignore ?? []);
    if (violations.length > 0) await this.#note(faultless, violations, { isFaultless: true });
  }

  async #prepare(): Promise<PlaneSnapshot> {
    const { crds, objects, webhooks, users, controllers, nodes, pods } = this.#options;
    const given = { crds, objects, webhooks, users, controllers, nodes, pods };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    // A program sends requests side by side, and at the machine's pace.
    const clock = stepped({ isConcurrent: this.#options.program !== undefined });
    await using plane = await startControlPlane({ ...options, clock, seed: this.#seed, env: {} });
    await plane.untilIdle();
    return await plane.snapshot();
  }

  async #explore(): Promise<void> {
    const planner = new Planner(this.#reference, this.#mask, {
      seed: this.#seed,
      isElected: this.#options.manager?.leaderElection !== undefined,
      isProgram: this.#options.program !== undefined,
      plans: this.#options.budget?.plans,
    });
    const isRandom = this.#options.strategy === 'random';
    const singles = isRandom ? [] : planner.singles();
    const planned = singles.length;
    this.#untried = new Set(singles);
    for (const faults of chained(singles, isRandom ? planner.random() : planner.pairs())) {
      if (this.#hasEnoughFindings()) this.#untried.clear();
      if (this.#isOver()) return;
      this.#untried.delete(faults);
      await this.#try(faults);
      if (this.#plans % REPORT_EVERY === 0) this.#reportProgress(planned);
    }
  }

  /**
   * An operator may leave changes of other clients to its dependents as they are. One that repairs a resource at one time and not
   * at another has a finding; one that never does gets a note.
   */
  async #judgeDrift(): Promise<void> {
    for (const [resource, { repaired, left }] of this.#drift) {
      const [first] = left;
      if (first === undefined) continue;
      if (!repaired) this.#notes.add(notRepaired(resource));
      else await this.#note(first.outcome, first.violations, { isFaultless: false });
    }
  }

  #noteDrift(outcome: Outcome, violations: readonly Violation[]): boolean {
    const fault = driftOf(outcome);
    if (fault === undefined) return false;
    const resource = `${fault.kind} ${fault.object.split(' ')[0]}`;
    const known = this.#drift.get(resource) ?? { repaired: false, left: [] };
    this.#drift.set(resource, known);
    // A later step of the scenario may put it right, which is no repair.
    if (violations.length === 0) known.repaired ||= outcome.isRepaired;
    else if (known.left.length === 0) known.left.push({ outcome, violations });
    return true;
  }

  #isOver(): boolean {
    const { seconds = SECONDS, plans = Number.POSITIVE_INFINITY } = this.#options.budget ?? {};
    const elapsedMs = realClock.monotonic() - this.#startedMs;
    return elapsedMs >= seconds * 1_000 || this.#plans >= plans || this.#hasEnoughFindings();
  }

  #hasEnoughFindings(): boolean {
    return this.#findings.length >= (this.#options.budget?.findings ?? FINDINGS);
  }

  async #try(faults: Faults): Promise<void> {
    const met: string[] = [];
    let strayedAt: number | undefined;
    const isKnown = (rest: number, world: World, { restarted }: { readonly restarted: boolean }): boolean => {
      const key = this.#keyOf(rest, world, restarted);
      met.push(key);
      if (!this.#isUsual(rest, world)) strayedAt ??= rest;
      return this.#known.has(key);
    };
    const outcome = await this.#trial({ faults, scenario: {} }, { isKnown });
    this.#plans++;
    this.#strikes.note(outcome.struck);
    if (outcome.isCutShort) this.#cutShort++;
    if (outcome.isInconclusive) this.#inconclusive++;
    const violations = await this.#judge(outcome, this.#reference);
    // Nothing excuses an operator that fails or writes without end.
    const stuck = driftOf(outcome) === undefined ? [] : violations.filter(({ rule }) => STUCK.has(rule));
    if (stuck.length > 0) return await this.#note(outcome, stuck, { isFaultless: false });
    if (this.#noteDrift(outcome, violations)) return;
    if (violations.length > 0) return await this.#note(outcome, violations, { isFaultless: false });
    if (outcome.isInconclusive) return;
    if (strayedAt === undefined || !(await this.#endsBadly(faults, strayedAt)))
      for (const key of met) this.#known.add(key);
  }

  #isUsual(rest: number, world: World): boolean {
    const usual = this.#reference.worlds[rest];
    return usual === undefined || this.#keyOf(rest, usual, false) === this.#keyOf(rest, world, false);
  }

  /** Ends the scenario at this rest: later steps of the scenario may repair a wrong state that users would keep. */
  async #endsBadly(faults: Faults, rests: number): Promise<boolean> {
    const scenario = { rests };
    const reference = await this.#referenceOf(scenario);
    const outcome = await this.#trial({ faults, scenario }, {});
    const violations = await this.#judge(outcome, reference);
    if (violations.length > 0) await this.#note(outcome, violations, { isFaultless: false });
    return violations.length > 0;
  }

  async #replay(plan: Plan): Promise<void> {
    const reference = await this.#referenceOf(plan.scenario);
    const isFaultless = plan.faults.length === 0;
    const outcome = isFaultless ? await this.#trialFaultless(plan) : await this.#trial(plan, {});
    this.#plans++;
    const violations = isFaultless
      ? judgeFaultless(outcome, this.#options.ignore ?? [])
      : await this.#judge(outcome, reference);
    if (violations.length === 0 || this.#bySignature.has(signatureOf(violations[0]!))) return;
    this.#add(findingOf(violations, outcome, reference), violations);
  }

  /** Shrinks and replays a violation. It becomes a finding when two replays show it. */
  async #note(
    outcome: Outcome,
    violations: readonly Violation[],
    { isFaultless }: { readonly isFaultless: boolean },
  ): Promise<void> {
    const known = this.#bySignature.get(signatureOf(violations[0]!));
    if (known !== undefined) {
      this.#counts.set(known, (this.#counts.get(known) ?? 0) + 1);
      return;
    }
    const { seconds = SECONDS } = this.#options.budget ?? {};
    const untilMs = realClock.monotonic() + Math.max(seconds, LEAST_SHRINKING_SECONDS) * 1_000;
    const shrunk = await shrink(outcome, violations[0]!, {
      isOver: () => realClock.monotonic() >= untilMs,
      run: async ({ faults, scenario }) => {
        const reference = await this.#referenceOf(scenario);
        const hasNone = faults.length === 0 || isFaultless;
        const tried = hasNone
          ? await this.#trialFaultless({ faults, scenario })
          : await this.#trial({ faults, scenario }, {});
        const found = hasNone ? judgeFaultless(tried, this.#options.ignore ?? []) : await this.#judge(tried, reference);
        return { outcome: tried, reference, violations: found };
      },
    });
    if (shrunk === undefined) return;
    const { outcome: shortest, reference, isExact } = shrunk;
    this.#add(findingOf(shrunk.violations, shortest, reference, isExact), [...shrunk.violations, ...violations]);
  }

  #add(finding: Finding, violations: readonly Violation[]): void {
    this.#firstFindingMs ??= realClock.monotonic() - this.#startedMs;
    const known = this.#bySignature.get(signatureOf(finding));
    if (known === undefined) this.#findings.push(finding);
    const counted = known ?? finding;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
    for (const violation of violations) this.#bySignature.set(signatureOf(violation), counted);
  }

  async #judge(outcome: Outcome, reference: Outcome): Promise<Violation[]> {
    const baseline = { reference, mask: this.#mask, relations: this.#relations, ignore: this.#options.ignore ?? [] };
    if (outcome.isCutShort || ![...outcome.struck].some(needsFresh)) return judge(outcome, baseline);
    return judge(outcome, { ...baseline, fresh: await this.#freshOf(reference) });
  }

  /** Returns `undefined` when the scenario fails without the operator. */
  async #freshOf({ plan: { scenario }, rests }: Outcome): Promise<World | undefined> {
    const key = JSON.stringify(scenario);
    if (this.#fresh.has(key)) return this.#fresh.get(key);
    const { world, isInconclusive, scenarioError } = await this.#trial(
      { faults: [{ kind: 'absent', from: 0, until: rests }], scenario },
      {},
    );
    const fresh = isInconclusive || scenarioError !== undefined ? undefined : world;
    this.#fresh.set(key, fresh);
    return fresh;
  }

  async #referenceOf(scenario: ScenarioCut): Promise<Outcome> {
    const key = JSON.stringify(scenario);
    const known = this.#references.get(key);
    if (known !== undefined) return known;
    const reference = await this.#trial({ faults: [], scenario }, {});
    this.#references.set(key, reference);
    return reference;
  }

  /** Runs the scenario without faults as it is judged: in the end the operator is restarted. */
  async #trialFaultless(plan: Pick<Plan, 'faults' | 'scenario'> & Partial<Pick<Plan, 'seed'>>): Promise<Outcome> {
    return await this.#trial(plan, { isRestarted: this.#options.program === undefined });
  }

  async #trial(
    { faults, scenario, seed = this.#seed }: Pick<Plan, 'faults' | 'scenario'> & Partial<Pick<Plan, 'seed'>>,
    how: Partial<Parameters<typeof runTrial>[0]>,
  ): Promise<Outcome> {
    return await runTrial({
      explore: this.#options,
      base: this.#base,
      plan: { version: 1, seed, scenario, faults },
      resources: this.#resources,
      names: this.#names,
      isQuietLong: this.#isQuietLong,
      ...how,
    });
  }

  #keyOf(rest: number, world: World, restarted: boolean): string {
    const digest = digestOf(world, (key, field) => this.#mask.isCompared(key, field));
    return `${rest} ${restarted} ${digest} ${this.#relations.brokenIn(world).length}`;
  }

  #reportProgress(planned: number): void {
    this.#options.onProgress?.({
      plans: this.#plans,
      planned,
      findings: this.#findings.length,
      elapsedMs: realClock.monotonic() - this.#startedMs,
    });
  }

  #report(): Report {
    return {
      seed: this.#seed,
      findings: this.#findings.map((finding) => ({ ...finding, plans: this.#counts.get(finding) ?? 1 })),
      plans: this.#plans,
      cutShort: this.#cutShort,
      inconclusive: this.#inconclusive,
      elapsedMs: Math.round(realClock.monotonic() - this.#startedMs),
      ...(this.#firstFindingMs !== undefined && { firstFindingMs: Math.round(this.#firstFindingMs) }),
      notes: [...this.#notes],
      coverage: coverageOf(this.#reference, this.#strikes, [...this.#untried].flat()),
      trace: this.#reference.trace,
    };
  }
}

const PROGRAM =
  'The operator is a program: its runs are not exactly repeatable. A finding was seen three times; bugs that need a certain order may be missed';

/** Rules that an operator may not break, whatever other clients do. */
const STUCK: ReadonlySet<Rule> = new Set([
  'no-rest',
  'keeps-failing',
  'unhandled-rejection',
  'not-awaited',
  'watch-leak',
]);

type DriftFault = PlannedFault & { readonly kind: 'deleted' | 'edited' };

function driftOf({ struck }: Outcome): DriftFault | undefined {
  const [fault] = struck;
  return fault?.kind === 'deleted' || fault?.kind === 'edited' ? fault : undefined;
}

interface Drift {
  repaired: boolean;
  /** First run in which the dependent stayed as the other client left it. */
  readonly left: { readonly outcome: Outcome; readonly violations: readonly Violation[] }[];
}

function notRepaired(drift: string): string {
  return `The operator does not repair ${drift.split(' ')[1]} that another client has ${drift.split(' ')[0]}`;
}

function* chained<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first;
  yield* second;
}
