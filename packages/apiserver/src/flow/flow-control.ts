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
import type { Refusal, SeatRequest, Ticket } from './priority-level.ts';
import { PriorityLevel } from './priority-level.ts';
import { divideSeats, lendSeats } from './seat-limits.ts';
import { Seats } from './seats.ts';
import type { WorkEstimator } from './work-estimate.ts';

export interface FlowOptions {
  /** Read-only requests that may be in flight. Default 400. */
  readonly maxReadOnly?: number;
  /** Mutating requests that may be in flight. Default 200. */
  readonly maxMutating?: number;
  /**
   * Watches that one user, or the service accounts of one namespace, may hold while others hold none, and otherwise the same
   * fraction of what the others leave. Default 3,000. One with long selectors counts as several.
   */
  readonly maxWatchesPerUser?: number;
  /** Watches in total. Default 15,000. */
  readonly maxWatches?: number;
  /**
   * Divides the sum of both limits by FlowSchemas and PriorityLevelConfigurations. Default: true. When false, requests beyond a
   * limit are refused, whichever client sent them.
   */
  readonly isFair?: boolean;
}

export const FLOW_DEFAULTS = { maxReadOnly: 400, maxMutating: 200, maxWatchesPerUser: 3_000, maxWatches: 15_000 };

/** Priority and fairness, which replace the plain limits. */
export interface Fairness {
  readonly control: FlowControl;
  readonly estimator: WorkEstimator;
}

const READ_ONLY: ReadonlySet<string> = new Set(['get', 'list', 'head']);

/**
 * Refuses requests with 429 while too many others are in flight. Never refuses `system:masters`, so that administrators can
 * resolve an overload.
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
      : watching.take(clientNameOf(user, state.request.peer), watchesOf(state));
    if (release === 'full') return tooManyRequests();
    // Clients decide how long connections last; the cost of a watch is its beginning.
    const begin = info.verb === 'watch' && fairness ? () => within(state, next) : () => next(state);
    return releasing(begin, state.request, release);
  };
}

/** Characters of selectors in one watch. */
const CHARACTERS_PER_WATCH = 256;
const SELECTORS = ['labelSelector', 'fieldSelector', 'shardSelector'];

/**
 * Returns as how many watches a request counts: one with a long selector holds hundreds of kilobytes, and compares every change with
 * all of it.
 */
function watchesOf({ info, query }: RequestState): number {
  if (info.verb !== 'watch') return 1;
  const characters = SELECTORS.reduce((sum, name) => sum + (query.get(name)?.length ?? 0), 0);
  return 1 + Math.floor(characters / CHARACTERS_PER_WATCH);
}

/**
 * Calls `release` once when no more of the response will be produced. A long response keeps its seat until the client has
 * received it, because it is held in memory.
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
    state.responseHeaders['x-kubernetes-pf-flowschema-uid'] = flow.schemaUid;
    state.responseHeaders['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
    const run = (ticket: Ticket | Refusal): Eventual<ApiResponse> => {
      if (typeof ticket !== 'string') return new Execution(flow, ticket).run(state, next);
      flow.tally.rejected(ticket).value++;
      return tooManyRequests();
    };
    return after(flow.level.isExempt ? 1 : estimator.seatsFor(state, flow.level.maxSeats), (seats) => {
      const taken = flow.level.take(seatRequestOf(flow, state, seats));
      return taken instanceof Promise ? queued(flow, taken).then(run) : run(taken);
    });
  };
}

function seatRequestOf({ schema }: Flow, { info, user, request }: RequestState, seats: number): SeatRequest {
  const flow = (): string => {
    const by = schema.spec?.distinguisherMethod?.type;
    const namespace = info.kind === 'resource' ? info.namespace : '';
    const distinguisher = by === 'ByUser' ? user.username : by === 'ByNamespace' ? namespace : '';
    return `${schema.metadata.name}\n${distinguisher}`;
  };
  return { seats, flow, request };
}

/** Counts a request as queued while it waits. */
async function queued({ tally }: Flow, taken: Promise<Ticket | Refusal>): Promise<Ticket | Refusal> {
  tally.inQueue++;
  const outcome = await taken;
  tally.inQueue--;
  return outcome;
}

/** A request that holds its seats. */
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
      // Watches without initial objects, and those of other servers, do not call `onBegun`.
      if (response.isProxyResponse || !beginsWithAll(state.query)) begun();
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
  /** Total number of seats. */
  readonly seats: number;
}

/** Flow schema of a request, and its priority level. */
export interface Flow {
  readonly schema: FlowSchema;
  readonly schemaUid: string;
  readonly level: PriorityLevel;
  readonly tally: FlowTally;
}

interface Candidate {
  readonly flow: Flow;
  readonly matches: RequestMatcher;
}

/** Interval at which levels lend seats while one is short of them. */
const LEND_MS = 1_000;
/** Weight of the previous demand after one interval. */
const SMOOTHING = 0.9977;

/**
 * API priority and fairness: finds the flow of a request, and divides the seats between priority levels. Follows the objects
 * without lag: a write applies to the next request. `exempt` and `catch-all` always exist.
 */
export class FlowControl implements Runnable {
  readonly #clock: Clock;
  readonly #metrics: FlowMetrics;
  readonly #seats: number;
  readonly #schemas: FollowedObjects<FlowSchema>;
  readonly #configurations: FollowedObjects<PriorityLevelConfiguration>;
  readonly #levels = new Map<string, PriorityLevel>();
  /** In the order of matching. The last one matches everything. */
  #flows: readonly Flow[] = [];
  /** Flows that can match a user, cached. */
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

  /** Returns the flow of a request. */
  flowOf(user: UserInfo, info: RequestInfo): Flow {
    if (!this.#isConfigured) this.#configure();
    for (const { flow, matches } of this.#byUser.get(user) ?? this.#candidatesFor(user)) if (matches(info)) return flow;
    return this.#flows.at(-1)!;
  }

  #candidatesFor(user: UserInfo): readonly Candidate[] {
    const candidates = this.#flows.flatMap((flow) => {
      const matches = rulesFor(flow.schema, user);
      return matches === undefined ? [] : [{ flow, matches }];
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

  /** Applies the configurations. Requests of a removed level finish there. */
  #configureLevels(configurations: readonly PriorityLevelConfiguration[]): void {
    const names = new Set(configurations.map(({ metadata }) => metadata.name));
    for (const name of this.#levels.keys()) if (!names.has(name)) this.#levels.delete(name);
    for (const configuration of configurations) {
      const { name = '' } = configuration.metadata;
      const level = this.#levels.get(name) ?? new PriorityLevel(name, this.#clock, this.#scheduleLending);
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

  readonly #scheduleLending = (): void => {
    this.#lending ??= this.#clock.setTimer(LEND_MS, this.#lendSeats);
  };

  /** Lends seats by demand. Restores the nominal limits, and stops, once no level needs more than its own. */
  readonly #lendSeats = (): void => {
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
    if (!isOver) this.#scheduleLending();
  };
}

/** Adds the mandatory objects that are missing from the store. */
function withMandatory<T extends FlowSchema | PriorityLevelConfiguration>(known: T[], mandatory: readonly T[]): T[] {
  const names = new Set(known.map(({ metadata }) => metadata.name));
  return [...known, ...mandatory.filter(({ metadata }) => !names.has(metadata.name))];
}

/** Sorts `catch-all` last, whatever its precedence. */
function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const rank = ({ metadata, spec }: FlowSchema): number =>
    metadata.name === 'catch-all' ? Number.POSITIVE_INFINITY : (spec?.matchingPrecedence ?? 0);
  const [first, second] = [rank(a), rank(b)];
  if (first !== second) return first - second;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** True for requests that a rule matches. */
export type RequestMatcher = (info: RequestInfo) => boolean;

/** Returns a matcher for the requests of one user; `undefined` when the schema matches none of them. */
export function rulesFor(schema: FlowSchema, user: UserInfo): RequestMatcher | undefined {
  const rules = (schema.spec?.rules ?? []).filter(({ subjects }) => subjects?.some((one) => isSubject(one, user)));
  const matchers = rules.map(compileRule);
  if (matchers.length === 0) return undefined;
  return matchers.includes(MATCH_ALL) ? MATCH_ALL : (info) => matchers.some((matches) => matches(info));
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

const MATCH_ALL: RequestMatcher = () => true;

function compileRule({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): RequestMatcher {
  const resources = resourceRules.map((rule) => {
    const isVerb = among(rule.verbs);
    const isGroup = among(rule.apiGroups);
    const isResource = among(rule.resources);
    const isNamespace = among(rule.namespaces);
    const matches = (info: ResourceRequest): boolean =>
      isVerb(info.verb) &&
      isGroup(info.group) &&
      isResource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
      (info.namespace === '' ? rule.clusterScope === true : isNamespace(info.namespace));
    const isAll = [isVerb, isGroup, isResource, isNamespace].every((part) => part === ALL) && rule.clusterScope;
    return isAll ? MATCH_ALL : matches;
  });
  const paths = nonResourceRules.map(({ verbs, nonResourceURLs }) => {
    const isVerb = among(verbs);
    const isUrl = nonResourceURLs?.includes('*') ? ALL : (path: string) => nonResourceURLs.some(isPrefixOf(path));
    return isVerb === ALL && isUrl === ALL ? MATCH_ALL : ({ verb, path }: PathRequest) => isVerb(verb) && isUrl(path);
  });
  if (resources.includes(MATCH_ALL) && paths.includes(MATCH_ALL)) return MATCH_ALL;
  return (info) =>
    info.kind === 'resource' ? resources.some((matches) => matches(info)) : paths.some((matches) => matches(info));
}

const ALL = (): boolean => true;

function among(list: readonly string[] | undefined): (text: string) => boolean {
  if (list?.includes('*')) return ALL;
  return (text) => list?.includes(text) ?? false;
}

/** Matches `/healthz` exactly, and `/healthz/*` as a prefix. */
function isPrefixOf(path: string): (pattern: string) => boolean {
  return (pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);
}
