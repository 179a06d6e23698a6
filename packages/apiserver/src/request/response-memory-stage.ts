import type { Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { ApiResponse } from './exchange.ts';
import { tooManyRequests } from './exchange.ts';
import { beginsWithAll } from './long-running.ts';
import type { Next, RequestState, Stage } from './pipeline.ts';
import type { Release, ResponseMemory } from './response-memory.ts';
import { whenSent } from './sent.ts';

/** The memory of a list while it is made and sent: records that were read, objects made of a part of them, a piece to be sent. */
const LIST_BYTES = 3 * 1024 * 1024;

/**
 * Has requests wait, or refuses them with 429, while the answers to their client, or to all, hold too much memory. Lists
 * take what they will hold before they begin; what is sent whole counts from when it is made until it is taken, for which
 * the request is told whose it is.
 */
export function responseMemoryStage(memory: ResponseMemory): Stage {
  return (state, next) => {
    const client = memory.clientOf(state.user, state.request.peer);
    state.request.chargeTo?.(client);
    const bytes = listBytes(state);
    if (bytes === 0 && client.hasRoom(0)) return next(state);
    return after(client.take(bytes, state.request), (release) =>
      release === 'full' ? tooManyRequests() : releasing(state, next, release),
    );
  };
}

function listBytes({ info, query }: RequestState): number {
  if (info.kind === 'path') return 0;
  const isList = info.verb === 'list' || info.verb === 'deletecollection';
  return isList || (info.verb === 'watch' && beginsWithAll(query)) ? LIST_BYTES : 0;
}

/** Calls `release` when nothing more of the answer is made; for a watch, when it has sent what there was. */
function releasing(state: RequestState, next: Next, release: Release): Eventual<ApiResponse> {
  return attempt(
    () => next(state.info.verb === 'watch' ? { ...state, onBegun: release } : state),
    (response) => whenSent(response, state.request, release),
    (error) => {
      release();
      throw error;
    },
  );
}
