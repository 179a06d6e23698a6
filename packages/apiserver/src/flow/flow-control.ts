import type { Clock, Runnable, Timer } from '@pintle/async';
import { runAll } from '@pintle/async';
import type { FlowSchema, PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import { FlowSchema as FlowSchemas, PriorityLevelConfiguration as PriorityLevels } from '@pintle/kinds/flowcontrol/v1';
import type { Store } from '@pintle/store';
import { FollowedObjects } from '../cache/followed-objects.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { MANDATORY_FLOWS, MANDATORY_LEVELS } from './default-flows.ts';
import type { FlowMetrics, FlowTally } from './flow-metrics.ts';
import type { AsksFor } from './flow-rules.ts';
import { rulesFor } from './flow-rules.ts';
import { PriorityLevel } from './priority-level.ts';
import { divideSeats, lendSeats } from './seat-limits.ts';

interface FlowControlOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly metrics: FlowMetrics;
  /** Seats in all. */
  readonly seats: number;
}

/** Where a request belongs: what a flow schema says of it, and the priority level it has seats in. */
export interface Flow {
  readonly schema: FlowSchema;
  readonly schemaUid: string;
  readonly level: PriorityLevel;
  readonly tally: FlowTally;
}

interface Candidate {
  readonly flow: Flow;
  readonly asks: AsksFor;
}

/** While somebody is short of seats, who lends to whom is settled so often. */
const LEND_MS = 1_000;
/** How much of what was needed before counts still, a period later. */
const SMOOTHING = 0.9977;

/**
 * API priority and fairness: which flow a request belongs to and how many seats its priority level has. Follows the
 * objects without lag; they count for the first request after their write. `exempt` and `catch-all` are always there.
 */
export class FlowControl implements Runnable {
  readonly #clock: Clock;
  readonly #metrics: FlowMetrics;
  readonly #seats: number;
  readonly #schemas: FollowedObjects<FlowSchema>;
  readonly #configurations: FollowedObjects<PriorityLevelConfiguration>;
  readonly #levels = new Map<string, PriorityLevel>();
  /** First match wins. The last one takes what nobody else does. */
  #flows: readonly Flow[] = [];
  /** What is about a user at all, worked out once for each. */
  #byUser = new WeakMap<UserInfo, readonly Candidate[]>();
  #seen = -1;
  #lending: Timer | undefined;

  constructor({ store, clock, metrics, seats }: FlowControlOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#seats = seats;
    this.#schemas = new FollowedObjects(store, FlowSchemas);
    this.#configurations = new FollowedObjects(store, PriorityLevels);
    metrics.levels = () => this.#levels.values();
  }

  async load(): Promise<void> {
    await this.#schemas.load();
    await this.#configurations.load();
    this.#configure();
  }

  /** Keeps up with the objects until `signal` aborts. Call `load` first. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      await runAll([this.#schemas, this.#configurations], { signal });
    } finally {
      this.#lending?.cancel();
    }
  }

  /** The flow a request belongs to. */
  flowOf(user: UserInfo, info: RequestInfo): Flow {
    if (this.#schemas.generation + this.#configurations.generation !== this.#seen) this.#configure();
    for (const { flow, asks } of this.#byUser.get(user) ?? this.#candidatesFor(user)) if (asks(info)) return flow;
    return this.#flows.at(-1)!;
  }

  #candidatesFor(user: UserInfo): readonly Candidate[] {
    const candidates = this.#flows.flatMap((flow) => {
      const asks = rulesFor(flow.schema, user);
      return asks === undefined ? [] : [{ flow, asks }];
    });
    this.#byUser.set(user, candidates);
    return candidates;
  }

  #configure(): void {
    this.#seen = this.#schemas.generation + this.#configurations.generation;
    this.#configureLevels(withMandatory(this.#configurations.known, MANDATORY_LEVELS));
    const schemas = withMandatory(this.#schemas.known, MANDATORY_FLOWS).sort(byPrecedence);
    this.#flows = schemas.flatMap((schema) => {
      const level = this.#levels.get(schema.spec?.priorityLevelConfiguration.name ?? '');
      if (level === undefined) return [];
      const { name = '', uid = '' } = schema.metadata;
      return [{ schema, schemaUid: uid, level, tally: this.#metrics.of(name, level.name) }];
    });
    this.#byUser = new WeakMap();
  }

  /** Requests of a level that is gone finish there. */
  #configureLevels(configurations: readonly PriorityLevelConfiguration[]): void {
    const names = new Set(configurations.map(({ metadata }) => metadata.name));
    for (const name of this.#levels.keys()) if (!names.has(name)) this.#levels.delete(name);
    for (const configuration of configurations) {
      const { name = '' } = configuration.metadata;
      const level = this.#levels.get(name) ?? new PriorityLevel(name, this.#clock, this.#settleSoon);
      level.configure(configuration);
      this.#levels.set(name, level);
    }
    const levels = [...this.#levels.values()];
    const limits = divideSeats(
      this.#seats,
      levels.map(({ shares }) => shares),
    );
    for (const [i, level] of levels.entries()) {
      level.limits = limits[i]!;
      level.setLimit(limits[i]!.nominal);
    }
  }

  readonly #settleSoon = (): void => {
    this.#lending ??= this.#clock.setTimer(LEND_MS, this.#settle);
  };

  /** Once nobody needs more than its share, all have theirs again and nothing more is done. */
  readonly #settle = (): void => {
    this.#lending = undefined;
    const levels = [...this.#levels.values()];
    const isOver = levels.every(({ isExempt, highDemand, limits }) => isExempt || highDemand <= limits.nominal);
    for (const level of levels) {
      const { highDemand, smoothDemand } = level;
      level.smoothDemand = Math.max(highDemand, SMOOTHING * smoothDemand + (1 - SMOOTHING) * highDemand);
      if (isOver) level.smoothDemand = 0;
    }
    const seats = isOver
      ? levels.map(({ limits }) => limits.nominal)
      : lendSeats(
          this.#seats,
          levels.map(({ limits, highDemand, smoothDemand }) => ({ ...limits, highDemand, smoothDemand })),
        );
    for (const [i, level] of levels.entries()) {
      level.resetDemand();
      level.setLimit(seats[i]!);
    }
    if (!isOver) this.#settleSoon();
  };
}

/** With what is always there, whatever became of it in the store. */
function withMandatory<T extends FlowSchema | PriorityLevelConfiguration>(known: T[], mandatory: readonly T[]): T[] {
  const names = new Set(known.map(({ metadata }) => metadata.name));
  return [...known, ...mandatory.filter(({ metadata }) => !names.has(metadata.name))];
}

/** `catch-all` is last whatever its number says. */
function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const rank = ({ metadata, spec }: FlowSchema): number =>
    metadata.name === 'catch-all' ? Number.POSITIVE_INFINITY : (spec?.matchingPrecedence ?? 0);
  const [first, second] = [rank(a), rank(b)];
  if (first !== second) return first - second;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
