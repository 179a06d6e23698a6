import { setMaxListeners } from 'node:events';
import { type Clock, realClock } from '@pintle/async';
import type { Transport, TransportRequest, TransportResponse } from '@pintle/client';
import type { Backend } from '../backend/backend.ts';
import type { Faults } from '../faults/faults.ts';
import { type LoggedRequest, RequestLog } from '../requests/request-log.ts';
import { Creations } from './creations.ts';
import { ExpectedEvents } from './expected-events.ts';
import {
  type Actor,
  InterceptedRequest,
  type InterceptedRequestDependencies,
  killedError,
} from './intercepted-request.ts';
import { RequestLock } from './request-lock.ts';
import { Watches } from './watches.ts';
import { WriteLoopDetector } from './write-loop-detector.ts';

/** After so many turns of the event loop without activity, nothing happens until time passes. */
const QUIET_TURNS = 2;
/** A request without progress for so long waits for time to pass, or for another process. */
const STUCK_AFTER_MS = 5_000;
/** A server in another process that is silent for so long has no more events to send. */
const QUIET_ELSEWHERE_MS = 200;
/** Work that goes on after so many turns goes on for ever. */
const MAX_TURNS = 200_000;

/** Yields to the event loop after so many requests: a server in this process may answer all of them within one turn. */
const REQUESTS_PER_TURN = 128;

/**
 * Intercepts all requests on their way to the server: logs them, injects faults, and knows when no work is left that needs no
 * time to pass.
 */
export class RequestInterceptor {
  readonly log = new RequestLog();
  readonly watches = new Watches();
  /** Set when the server outlives the plane. */
  readonly creations: Creations | undefined;
  readonly #faults: Faults;
  readonly #clock: () => Clock;
  /** Requests that the server is working on. */
  readonly #busy = new Set<LoggedRequest>();
  readonly #lock: RequestLock | undefined;
  /** Grows with every request, response and event. */
  #activity = 0;
  #requests = 0;
  readonly #writeLoops = new WriteLoopDetector();
  #requestDependencies: InterceptedRequestDependencies | undefined;
  /** Set when the server is in another process, and sends events at its own pace. */
  readonly #expectedEvents: ExpectedEvents | undefined;

  /** `isSequential`: one request at a time is sent. */
  constructor(
    faults: Faults,
    clock: () => Clock,
    { isSequential, server }: { readonly isSequential: boolean; readonly server: Backend['kind'] },
  ) {
    this.#faults = faults;
    this.#clock = clock;
    this.creations = server === 'memory' ? undefined : new Creations();
    this.#expectedEvents = server === 'memory' ? undefined : new ExpectedEvents({ isAlone: server === 'binaries' });
    this.#lock = isSequential ? new RequestLock() : undefined;
  }

  /** Returns a transport whose requests are intercepted as those of the actor. */
  connect(actor: Actor, transport: Transport): Transport {
    if (actor.killed !== undefined) setMaxListeners(0, actor.killed);
    return {
      send: (request) => this.#send(actor, request, (sent) => transport.send(sent)),
      isProbed: transport.isProbed === true,
      close: async () => await transport.close?.(),
    };
  }

  /** Lets requests pass side by side until the result is disposed of: a webhook that is called may send requests itself. */
  allowNested(): Disposable {
    this.#activity++;
    return this.#lock?.suspend() ?? { [Symbol.dispose]: () => undefined };
  }

  /** Intercepts a request that reached the server through its port. The user agent names the actor. */
  async fromOutside<T extends TransportResponse>(
    { method, path, query, headers }: Pick<TransportRequest, 'method' | 'path' | 'query' | 'headers'>,
    handle: (query: string) => Promise<T>,
    actor?: string,
  ): Promise<T> {
    const agent = headers?.['user-agent'];
    const name = typeof agent === 'string' ? /^[^/\s]+/.exec(agent)?.[0] : undefined;
    const request = { method, path, ...(query !== undefined && { query }) };
    const send = (sent: TransportRequest): Promise<T> => handle(sent.query ?? '');
    return (await this.#send({ name: actor ?? name ?? 'outside' }, request, send)) as T;
  }

  /** Assumes that other programs act on the server; `settle` then waits until it is silent. */
  expectAnything(): void {
    this.#expectedEvents?.expectAnything();
  }

  /** Resolves once no work is left that needs no time to pass. */
  async settle(): Promise<void> {
    let seen = this.#activity;
    let quietTurns = 0;
    let movedMs = realClock.monotonic();
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      await oneTurn();
      const endless = this.#writeLoops.takeLoop();
      if (endless !== undefined) throw this.#neverEnding(endless);
      if (this.#activity !== seen) {
        seen = this.#activity;
        quietTurns = 0;
        movedMs = realClock.monotonic();
      } else if (this.#busy.size === 0) {
        if (realClock.monotonic() - movedMs > QUIET_ELSEWHERE_MS) this.#expectedEvents?.clear();
        if (this.#expectedEvents?.arePending !== true && ++quietTurns >= QUIET_TURNS) return;
        if (this.#expectedEvents?.arePending === true) await realClock.sleep(1);
      } else if (realClock.monotonic() - movedMs > STUCK_AFTER_MS) this.#busy.clear();
      // The work that is waited for is on a disk or in another process.
      else if (turn % 64 === 63) await realClock.sleep(1);
    }
    throw this.#neverEnding(`still busy after ${MAX_TURNS} turns`);
  }

  #neverEnding(why: string): Error {
    return new Error(`Cannot wait for the plane to settle: ${why}. The last requests were\n${this.log.tail(5)}`);
  }

  #send(actor: Actor, request: TransportRequest, send: Transport['send']): Promise<TransportResponse> {
    if (actor.killed?.aborted) return Promise.reject(killedError(actor));
    return new InterceptedRequest(this.#dependencies(), actor, request, send).pass();
  }

  #dependencies(): InterceptedRequestDependencies {
    this.#requestDependencies ??= {
      clock: this.#clock(),
      log: this.log,
      watches: this.watches,
      faults: this.#faults,
      lock: this.#lock,
      creations: this.creations,
      expectedEvents: this.#expectedEvents,
      busy: this.#busy,
      move: () => this.#activity++,
      yieldSometimes: () => (++this.#requests % REQUESTS_PER_TURN === 0 ? oneTurn() : undefined),
      noteWrite: (entry) => this.#writeLoops.note(entry, this.#clock().monotonic()),
    };
    return this.#requestDependencies;
  }
}

function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
