import { realClock } from '@pintle/async';
import { stepped } from '../clock/plane-clock.ts';
import type { PlaneSnapshot } from '../options.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { judge, judgeFaultless } from './judge/judge.ts';
import { addMatcher } from './matcher.ts';
import { type Finding, signatureOf, type Violation } from './model/finding.ts';
import type { ExploreOptions } from './model/options.ts';
import type { Plan, ScenarioCut } from './model/plan.ts';
import { type Faults, Planner } from './planner/planner.ts';
import { findingOf } from './report/finding.ts';
import { coverageOf, type Report, Strikes } from './report/report.ts';
import { shrink } from './shrink/shrink.ts';
import { type Outcome, runTrial } from './trial/trial.ts';
import { Mask } from './world/compare.ts';
import { digestOf, type World, type WorldResource } from './world/world.ts';

const SECONDS = 30;
const FINDINGS = 5;
/** Progress is told after so many plans. */
const TOLD_EVERY = 20;

/**
 * Runs an operator through a scenario again and again, each time with something else that goes wrong, and reports what then
 * ends differently:
 *
 *     const report = await explore({ crds: [Fruit], operator: addFruitController, scenario, budget: { seconds: 30 } });
 *     expect(report).toHaveNoFindings();
 *
 * The same options and seed lead through the same runs; only how many of them there are depends on the time.
 */
export async function explore(options: ExploreOptions): Promise<Report> {
  addMatcher();
  return await new Exploration(options).run();
}

class Exploration {
  readonly #options: ExploreOptions;
  readonly #startedMs = realClock.monotonic();
  readonly #mask = new Mask();
  readonly #references = new Map<string, Outcome>();
  /** Worlds that led to a good end: by the rest they were met at. */
  readonly #known = new Set<string>();
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<Finding, number>();
  readonly #bySignature = new Map<string, Finding>();
  readonly #strikes = new Strikes();
  #base!: PlaneSnapshot;
  #reference!: Outcome;
  #resources: ReadonlyMap<string, WorldResource> = new Map();
  #isQuietLong = false;
  #plans = 0;
  #cutShort = 0;
  #inconclusive = 0;
  #firstFindingMs: number | undefined;

  constructor(options: ExploreOptions) {
    this.#options = options;
  }

  async run(): Promise<Report> {
    await this.#learn();
    const { plan } = this.#options;
    if (plan !== undefined) await this.#replay(plan);
    else await this.#explore();
    return this.#report();
  }

  get #seed(): number | string {
    return this.#options.seed ?? 1;
  }

  /** Runs the scenario without faults, and once more with another seed and other times: what differs then differs by chance. */
  async #learn(): Promise<void> {
    this.#base = await this.#prepare();
    const free = { faults: [], scenario: {} };
    const other = await this.#trial({ ...free, seed: `${this.#seed}/other` }, { delayMs: 7_000, isQuietLong: true });
    this.#resources = other.resources;
    // An operator that does nothing by itself when nothing is due need not be watched for ten minutes each time.
    this.#isQuietLong = other.entries.some(
      ({ phase, party, hasEffect }) => phase === 'quiet' && party === 'operator' && hasEffect,
    );
    this.#reference = await this.#trial(free, { isWatched: true });
    this.#mask.learn(this.#reference.world, other.world);
    this.#references.set('{}', this.#reference);
    for (const world of this.#reference.worlds.entries()) this.#known.add(this.#keyOf(world[0], world[1], false));
    const violations = judgeFaultless(this.#reference, this.#options.ignore ?? []);
    if (violations.length > 0) await this.#note(this.#reference, violations, { isFaultless: true });
  }

  async #prepare(): Promise<PlaneSnapshot> {
    const { crds, objects, webhooks, users, controllers, nodes, pods } = this.#options;
    const given = { crds, objects, webhooks, users, controllers, nodes, pods };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    await using plane = await startControlPlane({ ...options, clock: stepped(), seed: this.#seed, env: {} });
    await plane.untilIdle();
    return await plane.snapshot();
  }

  async #explore(): Promise<void> {
    const planner = new Planner(this.#reference, this.#mask, this.#seed);
    const isRandom = this.#options.strategy === 'random';
    const singles = isRandom ? [] : planner.singles();
    const planned = singles.length;
    for (const faults of chained(singles, isRandom ? planner.random() : planner.pairs())) {
      if (this.#isOver()) return;
      await this.#try(faults);
      if (this.#plans % TOLD_EVERY === 0) this.#tellProgress(planned);
    }
  }

  #isOver(): boolean {
    const { seconds = SECONDS, plans = Number.POSITIVE_INFINITY, findings = FINDINGS } = this.#options.budget ?? {};
    const elapsedMs = realClock.monotonic() - this.#startedMs;
    return elapsedMs >= seconds * 1_000 || this.#plans >= plans || this.#findings.length >= findings;
  }

  async #try(faults: Faults): Promise<void> {
    const met: string[] = [];
    const isKnown = (rest: number, world: World, { restarted }: { readonly restarted: boolean }): boolean => {
      const key = this.#keyOf(rest, world, restarted);
      met.push(key);
      return this.#known.has(key);
    };
    const outcome = await this.#trial({ faults, scenario: {} }, { isKnown });
    this.#plans++;
    this.#strikes.note(outcome.struck);
    if (outcome.isCutShort) this.#cutShort++;
    if (outcome.isInconclusive) this.#inconclusive++;
    const violations = this.#judge(outcome, this.#reference);
    if (violations.length > 0) await this.#note(outcome, violations, { isFaultless: false });
    else if (!outcome.isInconclusive) for (const key of met) this.#known.add(key);
  }

  async #replay(plan: Plan): Promise<void> {
    const reference = await this.#referenceOf(plan.scenario);
    const outcome = await this.#trial(plan, {});
    this.#plans++;
    const violations =
      plan.faults.length === 0 ? judgeFaultless(outcome, this.#options.ignore ?? []) : this.#judge(outcome, reference);
    if (violations.length === 0 || this.#bySignature.has(signatureOf(violations[0]!))) return;
    this.#add(findingOf(violations, outcome, reference), violations);
  }

  /** A finding is shrunk and replayed before it counts: what does not happen twice is none. */
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
    const shrunk = await shrink(outcome, violations[0]!, {
      run: async ({ faults, scenario }) => {
        const reference = await this.#referenceOf(scenario);
        const tried = await this.#trial({ faults, scenario }, {});
        const found =
          faults.length === 0 || isFaultless
            ? judgeFaultless(tried, this.#options.ignore ?? [])
            : this.#judge(tried, reference);
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

  #judge(outcome: Outcome, reference: Outcome): Violation[] {
    return judge(outcome, { reference, mask: this.#mask, ignore: this.#options.ignore ?? [] });
  }

  async #referenceOf(scenario: ScenarioCut): Promise<Outcome> {
    const key = JSON.stringify(scenario);
    const known = this.#references.get(key);
    if (known !== undefined) return known;
    const reference = await this.#trial({ faults: [], scenario }, {});
    this.#references.set(key, reference);
    return reference;
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
      isQuietLong: this.#isQuietLong,
      ...how,
    });
  }

  #keyOf(rest: number, world: World, restarted: boolean): string {
    return `${rest} ${restarted} ${digestOf(world, (key, field) => this.#mask.isCompared(key, field))}`;
  }

  #tellProgress(planned: number): void {
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
      coverage: coverageOf(this.#reference, this.#strikes),
      trace: this.#reference.trace,
    };
  }
}

function* chained<T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first;
  yield* second;
}
