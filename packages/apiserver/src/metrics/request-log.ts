import type { Clock } from '@pintle/async';
import { attempt } from '@pintle/async';
import type { Store } from '@pintle/store';
import { toStatus } from '../http/status.ts';
import { headerOf, whenSent } from '../request/exchange.ts';
import type { RequestState, Stage, WatchProgress } from '../request/pipeline.ts';
import { isLongRunning } from '../request/request-info.ts';

/** A request and its answer. */
export interface RequestRecord {
  /** Time of its arrival, in milliseconds since 1970. */
  readonly atMs: number;
  readonly durationMs: number;
  /** Name of the user that the request acts as. Requests without a valid credential are not reported. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/status`. Empty for paths without a resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly isDryRun: boolean;
  readonly status: number;
  /** Message of a refusal. */
  readonly message?: string;
}

/** A watch that is open. */
export interface OpenWatch {
  readonly id: number;
  readonly sinceMs: number;
  readonly user: string;
  readonly userAgent: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
  /** Chunks that were sent: events, or several initial ones. */
  readonly sent: number;
  readonly bytes: number;
  /** Time of the last chunk; 0 before the first. */
  readonly sentMs: number;
  /** The client has everything up to this revision; 0 until the watch follows the store. */
  readonly revision: number;
  /** Revision of the store at this moment. */
  readonly storeRevision: number;
  /** Chunks that the client has not taken yet. */
  readonly waiting: number;
}

const MAX_TEXT = 500;

/** Requests and watches of the other processes of a server. */
export interface OtherRequests {
  /** Begins, or ends, to report requests with `RequestLog.receive`. */
  follow(isFollowed: boolean): void;
  /** Returns the watches that were open when the processes last reported. */
  watches(): readonly OpenWatch[];
}

/** Reports requests to followers, and lists the open watches. Without followers, a request costs one comparison. */
export class RequestLog {
  readonly #watches = new Set<FollowedWatch>();
  readonly #followers = new Set<(record: RequestRecord) => void>();
  #others: OtherRequests | undefined;

  /** Calls `follower` with each request that has been answered, until the result is disposed of. */
  follow(follower: (record: RequestRecord) => void): Disposable {
    this.#followers.add(follower);
    if (this.#followers.size === 1) this.#others?.follow(true);
    return {
      [Symbol.dispose]: () => {
        if (this.#followers.delete(follower) && this.#followers.size === 0) this.#others?.follow(false);
      },
    };
  }

  watches(): OpenWatch[] {
    return [...Array.from(this.#watches, (watch) => watch.report()), ...(this.#others?.watches() ?? [])];
  }

  /** Includes other processes from now on. Called once. */
  include(others: OtherRequests): void {
    this.#others = others;
    if (this.#followers.size > 0) others.follow(true);
  }

  /** Reports requests of another process. */
  receive(records: readonly RequestRecord[]): void {
    for (const record of records) for (const follower of this.#followers) follower(record);
  }

  /** Stands after impersonation: the user is the one that a request acts as. */
  stage(clock: Clock, store: Pick<Store, 'revision'>): Stage {
    return (state, next) => {
      if (state.info.verb === 'watch' && state.info.kind === 'resource') {
        const watch = new FollowedWatch(state, clock, store);
        state.onFollowing = watch.following;
        return attempt(
          () => next(state),
          (response) => {
            if (response.body instanceof Uint8Array) return response;
            this.#watches.add(watch);
            return whenSent(response, state.request, {
              done: () => void this.#watches.delete(watch),
              chunk: watch.chunk,
            });
          },
          (error) => {
            if (this.#followers.size > 0) this.#report(state, clock.now(), 0, error);
            throw error;
          },
        );
      }
      if (this.#followers.size === 0 || isLongRunning(state.info)) return next(state);
      const atMs = clock.now();
      const startedMs = clock.monotonic();
      return attempt(
        () => next(state),
        (response) => {
          this.#report(state, atMs, clock.monotonic() - startedMs, undefined, response.status);
          return response;
        },
        (error) => {
          this.#report(state, atMs, clock.monotonic() - startedMs, error);
          throw error;
        },
      );
    };
  }

  #report(state: RequestState, atMs: number, durationMs: number, error: unknown, answered = 0): void {
    const refusal = error === undefined ? undefined : toStatus(error);
    const record: RequestRecord = {
      atMs,
      durationMs,
      ...aboutOf(state),
      groups: state.user.groups,
      path: shortened(state.request.path),
      isDryRun: state.query.has('dryRun'),
      status: refusal?.code ?? answered,
      ...(refusal?.message !== undefined && { message: shortened(refusal.message) }),
    };
    for (const follower of this.#followers) follower(record);
  }
}

let lastWatch = 0;

class FollowedWatch {
  readonly #id = ++lastWatch;
  readonly #state: RequestState;
  readonly #clock: Clock;
  readonly #store: Pick<Store, 'revision'>;
  readonly #sinceMs: number;
  #progress: WatchProgress | undefined;
  #sent = 0;
  #bytes = 0;
  #sentMs = 0;

  constructor(state: RequestState, clock: Clock, store: Pick<Store, 'revision'>) {
    this.#state = state;
    this.#clock = clock;
    this.#store = store;
    this.#sinceMs = clock.now();
  }

  readonly following = (progress: WatchProgress): void => {
    this.#progress = progress;
  };

  readonly chunk = (bytes: Uint8Array): void => {
    this.#sent++;
    this.#bytes += bytes.length;
    this.#sentMs = this.#clock.now();
  };

  report(): OpenWatch {
    const { user, userAgent, group, resource, namespace } = aboutOf(this.#state);
    const { query } = this.#state;
    return {
      id: this.#id,
      sinceMs: this.#sinceMs,
      user,
      userAgent,
      group,
      resource,
      namespace,
      fieldSelector: shortened(query.get('fieldSelector') ?? ''),
      labelSelector: shortened(query.get('labelSelector') ?? ''),
      sent: this.#sent,
      bytes: this.#bytes,
      sentMs: this.#sentMs,
      revision: this.#progress?.revision ?? 0,
      storeRevision: this.#store.revision,
      waiting: this.#progress?.waiting ?? 0,
    };
  }
}

function aboutOf({ info, user, request }: RequestState) {
  const isResource = info.kind === 'resource';
  const resource = !isResource ? '' : info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  return {
    user: shortened(user.username),
    userAgent: shortened(headerOf(request, 'user-agent') ?? ''),
    verb: info.verb,
    group: isResource ? info.group : '',
    resource,
    namespace: isResource ? info.namespace : '',
    name: isResource ? info.name : '',
  };
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
