import { type Clock, onAbort } from '@pintle/async';
import { ClientError, type TransportRequest, type TransportResponse } from '@pintle/client';
import type { Standstill } from '../clock/standstill.ts';
import type { Exchange } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import { factsOf, type RequestFacts } from '../requests/request-facts.ts';
import type { LoggedRequest, RequestLog } from '../requests/request-log.ts';
import type { Creations } from './creations.ts';
import { type ExpectedEvents, newestIn } from './expected-events.ts';
import type { RequestLock } from './request-lock.ts';
import { TrackedWatch } from './tracked-watch.ts';
import type { Watches } from './watches.ts';

/** Sender of intercepted requests. */
export interface Actor {
  readonly name: string;
  /** Aborts when the process is killed: its requests do not arrive any more, and its watches end. */
  readonly killed?: AbortSignal;
  /** Pauses the process. */
  readonly standstill?: Standstill;
  /** Called after each write that took effect, before its response is passed on. */
  readonly onWrite?: (entry: LoggedRequest) => void;
}

export interface InterceptedRequestDependencies {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly watches: Watches;
  readonly faults: Faults;
  readonly lock: RequestLock | undefined;
  readonly creations: Creations | undefined;
  readonly expectedEvents: ExpectedEvents | undefined;
  /** Requests that the server is working on. */
  readonly busy: Set<LoggedRequest>;
  /** Notes activity. */
  move(): void;
  /** Yields to the event loop now and then; requests to a server in this process alone would not. */
  yieldSometimes(): Promise<void> | undefined;
  /** Called when a write of a process took effect. */
  noteWrite(entry: LoggedRequest): void;
}

type Send = (request: TransportRequest) => Promise<TransportResponse>;

/**
 * One request on its way to the server and back:
 *
 *     log ► fault, if one matches ► request lock ► server ► response, unless the process was killed
 */
export class InterceptedRequest implements Exchange {
  readonly facts: RequestFacts;
  readonly request: TransportRequest;
  readonly standstill: Standstill | undefined;
  readonly #dependencies: InterceptedRequestDependencies;
  readonly #actor: Actor;
  readonly #send: Send;
  readonly #entry: LoggedRequest;
  /** Ends a watch at the server. */
  readonly #stop: AbortController | undefined;
  #release: (() => void) | undefined;

  constructor(dependencies: InterceptedRequestDependencies, actor: Actor, request: TransportRequest, send: Send) {
    this.#dependencies = dependencies;
    this.#actor = actor;
    this.standstill = actor.standstill;
    this.#send = send;
    this.facts = factsOf(request);
    this.#stop = this.facts.verb === 'watch' ? linkedTo(request.signal) : undefined;
    this.request = this.#stop === undefined ? request : { ...request, signal: this.#stop.signal };
    this.#entry = dependencies.log.begin(this.request, this.facts, actor.name, dependencies.clock.now());
  }

  async pass(): Promise<TransportResponse> {
    const standing = this.#actor.standstill?.ended;
    if (standing !== undefined) await standing;
    this.#begin();
    try {
      const response = await this.#answer();
      this.#throwIfKilled();
      this.#entry.status = response.status;
      return this.#stop === undefined ? response : this.#tracked(response, this.#stop);
    } finally {
      this.#release?.();
      this.#end();
    }
  }

  readonly next = async (request: TransportRequest = this.request): Promise<TransportResponse> => {
    this.#release = await this.#dependencies.lock?.acquire();
    await this.#dependencies.yieldSometimes();
    this.#throwIfKilled();
    const id = { 'audit-id': `request-${this.#entry.sequence}` };
    const answer = await this.#send({ ...request, headers: { ...id, ...request.headers } });
    const response = await this.#note(request, answer);
    // A watch holds the lock until the objects that exist have been received.
    if (this.#stop === undefined) this.#release?.();
    this.#throwIfKilled();
    this.#entry.status = response.status;
    if (this.facts.isWrite && response.status < 300) this.#noteWrite();
    this.#throwIfKilled();
    return response;
  };

  async #note(request: TransportRequest, answer: TransportResponse): Promise<TransportResponse> {
    const { creations, expectedEvents, watches } = this.#dependencies;
    if (creations === undefined || expectedEvents === undefined) return answer;
    const noted = await creations.note(request, this.facts, answer);
    return await expectedEvents.note(request, this.facts, noted, watches);
  }

  readonly sleep = async (ms: number): Promise<void> => {
    const { signal } = this.request;
    this.#end();
    try {
      await this.#dependencies.clock.sleep(ms, { ...(signal && { signal }) });
    } finally {
      this.#begin();
    }
  };

  readonly wait = async (until: Promise<void>): Promise<void> => {
    this.#end();
    await until;
    this.#begin();
  };

  async #answer(): Promise<TransportResponse> {
    const fault = this.#dependencies.faults.choose({ ...this.facts, actor: this.#actor.name });
    if (fault === undefined) return await this.next();
    this.#entry.fault = fault.name;
    return await fault.apply(this);
  }

  #tracked(response: TransportResponse, stop: AbortController): TransportResponse {
    if (response.status !== 200 || response.body instanceof Uint8Array) return response;
    const watch = this.#track(response.body, stop);
    const release = this.#release;
    this.#release = undefined;
    if (release !== undefined) watch.caughtUp().then(release, release);
    return { ...response, body: watch };
  }

  #track(body: AsyncIterable<Uint8Array>, stop: AbortController): TrackedWatch {
    const { watches, move, expectedEvents } = this.#dependencies;
    let forget: Disposable | undefined;
    let unfollow: Disposable | undefined;
    const watch = new TrackedWatch({
      actor: this.#actor.name,
      facts: this.facts,
      body,
      onMove: move,
      newestIn: expectedEvents === undefined ? undefined : newestIn,
      onEnd: () => {
        watches.remove(watch);
        forget?.[Symbol.dispose]();
        unfollow?.[Symbol.dispose]();
        stop.abort();
      },
    });
    watches.add(watch);
    stop.signal.addEventListener('abort', () => watch.cut(stop.signal.reason), { once: true });
    forget = onAbort(this.#actor.killed, () => watch.cut(killedError(this.#actor)));
    unfollow = this.#actor.standstill?.follow(watch);
    return watch;
  }

  #noteWrite(): void {
    // Writes of the test itself are not checked for loops.
    if (this.#actor.killed !== undefined) this.#dependencies.noteWrite(this.#entry);
    this.#actor.onWrite?.(this.#entry);
  }

  #begin(): void {
    this.#dependencies.move();
    this.#dependencies.busy.add(this.#entry);
  }

  #end(): void {
    this.#dependencies.move();
    this.#dependencies.busy.delete(this.#entry);
  }

  #throwIfKilled(): void {
    if (this.#actor.killed?.aborted) throw killedError(this.#actor);
  }
}

/** Error of requests of a process that was killed. */
export function killedError({ name }: Actor): ClientError {
  const cause = new Error(`the process of ${name} was killed`);
  return new ClientError({ code: 'Unreachable', server: 'the server', isSent: true }, { cause });
}

/** Returns a controller that aborts with the signal. */
function linkedTo(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  onAbort(signal, (reason) => controller.abort(reason));
  return controller;
}
