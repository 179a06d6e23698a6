import type { ApiResponse } from '../http/exchange.ts';
import { textResponse } from '../http/exchange.ts';
import { whenSent } from '../http/sent.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import { Seats } from './seats.ts';

export interface FlowOptions {
  /** How many requests that only read may be in flight. Default 400. */
  readonly maxReadOnly?: number;
  /** How many requests that write may be in flight. Default 200. */
  readonly maxMutating?: number;
  /** How many watches one user may hold. Default 3,000. */
  readonly maxWatchesPerUser?: number;
  /** How many watches may be held in all. Default 15,000. */
  readonly maxWatches?: number;
  /** The flow schema and priority level a request belongs to; their uids are told in headers. Default: none are. */
  readonly classify?: (state: RequestState) => FlowClass | undefined;
}

export interface FlowClass {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

const READ_ONLY: ReadonlySet<string> = new Set(['get', 'list', 'head']);
const RETRY_AFTER_SECONDS = 1;

/**
 * Turns requests away with 429 while too many others are in flight, so that the server does well what it takes on.
 * `system:masters` is let through always: somebody must be able to mend what overloads it.
 */
export function flowStage(options: FlowOptions = {}): Stage {
  const { maxReadOnly = 400, maxMutating = 200, maxWatchesPerUser = 3_000, maxWatches = 15_000, classify } = options;
  const reading = new Seats(maxReadOnly);
  const writing = new Seats(maxMutating);
  const watching = new Seats(maxWatches, maxWatchesPerUser);
  const seatsFor = ({ info, user }: RequestState): Seats | undefined => {
    if (user.groups.includes('system:masters')) return undefined;
    if (isLongRunning(info)) return watching;
    return READ_ONLY.has(info.verb) ? reading : writing;
  };
  return async (state, next) => {
    const release = seatsFor(state)?.take(state.user.username) ?? nothing;
    if (release === 'full') return withFlow(tooManyRequests(), classify?.(state));
    try {
      return withFlow(whenSent(await next(state), state.request, release), classify?.(state));
    } catch (error) {
      release();
      throw error;
    }
  };
}

function nothing(): void {}

function tooManyRequests(): ApiResponse {
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return textResponse(429, 'Too many requests, please try again later.\n', headers);
}

function withFlow(response: ApiResponse, flow: FlowClass | undefined): ApiResponse {
  if (flow === undefined) return response;
  response.headers['x-kubernetes-pf-flowschema-uid'] = flow.flowSchemaUid;
  response.headers['x-kubernetes-pf-prioritylevel-uid'] = flow.priorityLevelUid;
  return response;
}
