import type { Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import { clientNameOf } from '../request/client-share.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { tooManyRequests } from '../request/exchange.ts';
import { beginsWithAll, isLongRunning } from '../request/long-running.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { whenTaken } from '../request/sent.ts';
import type { Flow, FlowControl } from './flow-control.ts';
import type { Refusal, Seeker, Ticket } from './priority-level.ts';
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
