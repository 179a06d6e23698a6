import type { Clock, Eventual, Runnable, Timer } from '@pintle/async';
import { after, attempt, runAll } from '@pintle/async';
import type {
  FlowSchema,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  Subject,
} from '@pintle/kinds/flowcontrol/v1';
import { FlowSchema as FlowSchemas, PriorityLevelConfiguration as PriorityLevels } from '@pintle/kinds/flowcontrol/v1';
import type { Store } from '@pintle/store';
import { FollowedObjects } from '../cache/followed-objects.ts';
import { clientNameOf } from '../request/client-share.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { tooManyRequests, whenTaken } from '../request/exchange.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import type { PathRequest, RequestInfo, ResourceRequest } from '../request/request-info.ts';
import { beginsWithAll, isLongRunning } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { MANDATORY_FLOWS, MANDATORY_LEVELS } from './default-flows.ts';
import type { FlowMetrics, FlowTally } from './flow-metrics.ts';
import type { Refusal, Seeker, Ticket } from './priority-level.ts';
import { PriorityLevel } from './priority-level.ts';
import { divideSeats, lendSeats } from './seat-limits.ts';
import { Seats } from './seats.ts';
import type { WorkEstimator } from './work-estimate.ts';

export interface FlowOptions {
  /** How many requests that only read may be in flight. Default 400. */
  readonly maxReadOnly?: number;
  /** How many requests that write may be in flight. Default 200. */
  readonly maxMutating?: number;
  /**
   * How many watches one user, or the service accounts of one namespace, may hold while others hold none; else the same part
   * of what the others leave. Default 3,000.
   */
  readonly maxWatchesPerUser?: number;
  /** How many watches may be held in all. Default 15,000. */
  readonly maxWatches?: number;
  /**
   * Both limits together are the seats that FlowSchemas and PriorityLevelConfigurations divide. Default: true; without,
   * what is beyond a limit is turned away, whoever sent it.
   */
  readonly isFair?: boolean;
}

export const FLOW_DEFAULTS = { maxReadOnly: 400, maxMutating: 200, maxWatchesPerUser: 3_000, maxWatches: 15_000 };

/** What decides in the place of plain limits. */
export interface Fairness {
  readonly control: FlowControl;
  readonly estimator: WorkEstimator;
}

const READ_ONLY: ReadonlySet<string> = new Set(['get', 'list', 'head']);

/**
 * Turns requests away with 429 while too many others are in flight, so that the server does well what it takes on.
 * `system:masters` is let through always: somebody must be able to mend what overloads it.
 */
export function flowStage(options: FlowOptions = {}, fairness?: Fairness): Stage {
  const { maxReadOnly, maxMutating, maxWatchesPerUser, maxWatches } = { ...FLOW_DEFAULTS, ...options };
  const watching = new Seats(maxWatches, maxWatchesPerUser);
  const within = fairness === undefined ? plainLimits(maxReadOnly, maxMutating) : fairLimits(fairness);
  return (state, next) => {
    const { info, user } = state;
    if (!isLongRunning(info)) return within(state, next);
    const release = user.groups.includes('system:masters')
      ? nothing
      : watching.take(clientNameOf(user, state.request.peer));
    if (release === 'full') return tooManyRequests();
    // Connections last as long as their clients like; what a watch costs is to begin it.
    const begin = info.verb === 'watch' && fairness ? () => within(state, next) : () => next(state);
    return releasing(begin, state.request, release);
  };
}

/**
 * Calls `release` once when nothing more of the answer will be made, or there will be none. A long one is held in memory
 * until its client takes it, and has its seat so long.
 */
function releasing(
  answer: () => Eventual<ApiResponse>,
  request: ApiRequest,
  release: () => void,
): Eventual<ApiResponse> {
  return attempt(
    answer,
    (response) => whenTaken(response, request, release),
    (error) => {
      release();
      throw error;
    },
  );
}

function nothing(): void {}

function plainLimits(maxReadOnly: number, maxMutating: number): Stage {
  const reading = new Seats(maxReadOnly);
  const writing = new Seats(maxMutating);
  return (state, next) => {
    const { info, user } = state;
    if (user.groups.includes('system:masters')) return next(state);
    const release = (READ_ONLY.has(info.verb) ? reading : writing).take(user.username);
    if (release === 'full') return tooManyRequests();
    return releasing(() => next(state), state.request, release);
  };
}

function fairLimits({ control, estimator }: Fairness): Stage {
  return (state, next) => {
    const flow = control.flowOf(state.user, state.info);
    state.answerHeaders['x-kubernetes-pf-flowschema-uid'] = flow.schemaUid;
    state.answerHeaders['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
    const run = (ticket: Ticket | Refusal): Eventual<ApiResponse> => {
      if (typeof ticket !== 'string') return new Execution(flow, ticket).run(state, next);
      flow.tally.rejected(ticket).value++;
      return tooManyRequests();
    };
    return after(flow.level.isExempt ? 1 : estimator.seatsFor(state, flow.level.maxSeats), (seats) => {
      const taken = flow.level.take(seekerOf(flow, state, seats));
      return taken instanceof Promise ? queued(flow, taken).then(run) : run(taken);
    });
  };
}

function seekerOf({ schema }: Flow, { info, user, request }: RequestState, seats: number): Seeker {
  const flow = (): string => {
    const by = schema.spec?.distinguisherMethod?.type;
    const namespace = info.kind === 'resource' ? info.namespace : '';
    const distinguisher = by === 'ByUser' ? user.username : by === 'ByNamespace' ? namespace : '';
    return `${schema.metadata.name}\n${distinguisher}`;
  };
  return { seats, flow, request };
}

/** Counts a request while it waits. */
async function queued({ tally }: Flow, taken: Promise<Ticket | Refusal>): Promise<Ticket | Refusal> {
  tally.inQueue++;
  const outcome = await taken;
  tally.inQueue--;
  return outcome;
}

/** A request that has its seats. */
class Execution {
  readonly #flow: Flow;
  readonly #ticket: Ticket;
  #isOver = false;

  constructor(flow: Flow, ticket: Ticket) {
    this.#flow = flow;
    this.#ticket = ticket;
    flow.tally.executing++;
    flow.tally.dispatched.value++;
    flow.tally.seats.observe(ticket.seats);
    flow.tally.waited.observe(ticket.waitedMs / 1000);
  }

  run(state: RequestState, next: Next): Eventual<ApiResponse> {
    const { info, request } = state;
    return releasing(() => (info.verb === 'watch' ? this.#begin(state, next) : next(state)), request, this.#end);
  }

  #begin(state: RequestState, next: Next): Eventual<ApiResponse> {
    const begun = (): void => {
      this.#end();
      state.onBegun?.();
    };
    return after(next({ ...state, onBegun: begun }), (response) => {
      // Nobody else will say when a watch has begun that begins with nothing, or was passed on.
      if (response.isPassedOn || !beginsWithAll(state.query)) begun();
      return response;
    });
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    const { tally, level } = this.#flow;
    tally.executing--;
    tally.executed.observe(level.leave(this.#ticket));
  };
}

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
  /** False from when a schema or a level changes until the next request. */
  #isConfigured = false;
  #lending: Timer | undefined;

  constructor({ store, clock, metrics, seats }: FlowControlOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#seats = seats;
    const onChange = (): void => {
      this.#isConfigured = false;
    };
    this.#schemas = new FollowedObjects(store, FlowSchemas, { onChange });
    this.#configurations = new FollowedObjects(store, PriorityLevels, { onChange });
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
    if (!this.#isConfigured) this.#configure();
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
    this.#isConfigured = true;
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

/** Which requests of a user are meant. */
export type AsksFor = (info: RequestInfo) => boolean;

/** What a flow schema says about the requests of one user; `undefined`: nothing, whatever they ask for. */
export function rulesFor(schema: FlowSchema, user: UserInfo): AsksFor | undefined {
  const rules = (schema.spec?.rules ?? []).filter(({ subjects }) => subjects?.some((one) => isSubject(one, user)));
  const asked = rules.map(compileRule);
  if (asked.length === 0) return undefined;
  return asked.includes(ANYTHING) ? ANYTHING : (info) => asked.some((asks) => asks(info));
}

function isSubject({ kind, user: one, group, serviceAccount: account }: Subject, user: UserInfo): boolean {
  switch (kind) {
    case 'User':
      return one?.name === '*' || one?.name === user.username;
    case 'Group':
      return group?.name === '*' || (group !== undefined && user.groups.includes(group.name));
    case 'ServiceAccount':
      return account !== undefined && isAccount(account, user.username);
    default:
      return false;
  }
}

function isAccount(account: { readonly namespace: string; readonly name: string }, username: string): boolean {
  const prefix = `system:serviceaccount:${account.namespace}:`;
  return account.name === '*' ? username.startsWith(prefix) : username === `${prefix}${account.name}`;
}

const ANYTHING: AsksFor = () => true;

function compileRule({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): AsksFor {
  const resources = resourceRules.map((rule) => {
    const isVerb = among(rule.verbs);
    const isGroup = among(rule.apiGroups);
    const isResource = among(rule.resources);
    const isNamespace = among(rule.namespaces);
    const asks = (info: ResourceRequest): boolean =>
      isVerb(info.verb) &&
      isGroup(info.group) &&
      isResource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
      (info.namespace === '' ? rule.clusterScope === true : isNamespace(info.namespace));
    const isAll = [isVerb, isGroup, isResource, isNamespace].every((part) => part === ALL) && rule.clusterScope;
    return isAll ? ANYTHING : asks;
  });
  const paths = nonResourceRules.map(({ verbs, nonResourceURLs }) => {
    const isVerb = among(verbs);
    const isUrl = nonResourceURLs?.includes('*') ? ALL : (path: string) => nonResourceURLs.some(isPrefixOf(path));
    return isVerb === ALL && isUrl === ALL ? ANYTHING : ({ verb, path }: PathRequest) => isVerb(verb) && isUrl(path);
  });
  if (resources.includes(ANYTHING) && paths.includes(ANYTHING)) return ANYTHING;
  return (info) => (info.kind === 'resource' ? resources.some((asks) => asks(info)) : paths.some((asks) => asks(info)));
}

const ALL = (): boolean => true;

function among(list: readonly string[] | undefined): (text: string) => boolean {
  if (list?.includes('*')) return ALL;
  return (text) => list?.includes(text) ?? false;
}

/** `/healthz` is that path alone, `/healthz/*` everything behind it. */
function isPrefixOf(path: string): (pattern: string) => boolean {
  return (pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);
}
