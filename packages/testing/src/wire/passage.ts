import { type Clock, onAbort } from '@pintle/async';
import { ClientError, type TransportRequest, type TransportResponse } from '@pintle/client';
import type { Standstill } from '../clock/standstill.ts';
import type { Exchange } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import { factsOf, type RequestFacts } from '../requests/request-facts.ts';
import type { LoggedRequest, RequestLog } from '../requests/request-log.ts';
import type { Creations } from './creations.ts';
import { type Echoes, newestIn } from './echoes.ts';
import type { Lane } from './lane.ts';
import { TrackedWatch } from './tracked-watch.ts';
import type { Watches } from './watches.ts';

/** Who sends requests through the wire, for as long as it lives. */
export interface Actor {
  readonly name: string;
  /** Aborts when the process it stands for is gone: nothing it sends arrives any more, and its watches end. */
  readonly life?: AbortSignal;
  /** Lets it stand still for a while. */
  readonly standstill?: Standstill;
  /** Called after each write that took effect, before its answer is passed on. */
  readonly onWrite?: (entry: LoggedRequest) => void;
}

/** What a request passes through. */
export interface PassageDependencies {
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly watches: Watches;
  readonly faults: Faults;
  readonly lane: Lane | undefined;
  readonly creations: Creations | undefined;
  readonly echoes: Echoes | undefined;
  /** Requests the server is working on. */
  readonly busy: Set<LoggedRequest>;
  /** Something has happened. */
  move(): void;
  /** Resolves in a later turn of the event loop, now and then: requests alone would never let it turn. */
  breathe(): Promise<void> | undefined;
  /** A write of a process took effect. */
  noteWrite(entry: LoggedRequest): void;
}

type Send = (request: TransportRequest) => Promise<TransportResponse>;

/**
 * One request on its way to the server and back:
 *
 *     written down ► a fault, perhaps ► its turn on the lane ► the server ► the answer, if anybody is left to hear it
 */
export class Passage implements Exchange {
  readonly facts: RequestFacts;
  readonly request: TransportRequest;
  readonly standstill: Standstill | undefined;
  readonly #dependencies: PassageDependencies;
  readonly #actor: Actor;
  readonly #send: Send;
  readonly #entry: LoggedRequest;
  /** Ends a watch at the server. */
  readonly #stop: AbortController | undefined;
  #leave: (() => void) | undefined;

  constructor(dependencies: PassageDependencies, actor: Actor, request: TransportRequest, send: Send) {
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
      this.#refuseTheDead();
      this.#entry.status = response.status;
      return this.#stop === undefined ? response : this.#followed(response, this.#stop);
    } finally {
      this.#leave?.();
      this.#rest();
    }
  }

  readonly next = async (request: TransportRequest = this.request): Promise<TransportResponse> => {
    this.#leave = await this.#dependencies.lane?.enter();
    await this.#dependencies.breathe();
    this.#refuseTheDead();
    const id = { 'audit-id': `request-${this.#entry.sequence}` };
    const answer = await this.#send({ ...request, headers: { ...id, ...request.headers } });
    const response = await this.#note(request, answer);
    // A watch stays on the lane until what was there has been taken in.
    if (this.#stop === undefined) this.#leave?.();
    this.#refuseTheDead();
    this.#entry.status = response.status;
    if (this.facts.isWrite && response.status < 300) this.#noteWrite();
    this.#refuseTheDead();
    return response;
  };

  async #note(request: TransportRequest, answer: TransportResponse): Promise<TransportResponse> {
    const { creations, echoes, watches } = this.#dependencies;
    if (creations === undefined || echoes === undefined) return answer;
    const noted = await creations.note(request, this.facts, answer);
    return await echoes.note(request, this.facts, noted, watches);
  }

  readonly sleep = async (ms: number): Promise<void> => {
    const { signal } = this.request;
    this.#rest();
    try {
      await this.#dependencies.clock.sleep(ms, { ...(signal && { signal }) });
    } finally {
      this.#begin();
    }
  };

  readonly wait = async (until: Promise<void>): Promise<void> => {
    this.#rest();
    await until;
    this.#begin();
  };

  async #answer(): Promise<TransportResponse> {
    const fault = this.#dependencies.faults.choose({ ...this.facts, actor: this.#actor.name });
    if (fault === undefined) return await this.next();
    this.#entry.fault = fault.name;
    return await fault.apply(this);
  }

  #followed(response: TransportResponse, stop: AbortController): TransportResponse {
    if (response.status !== 200 || response.body instanceof Uint8Array) return response;
    const watch = this.#track(response.body, stop);
    const leave = this.#leave;
    this.#leave = undefined;
    if (leave !== undefined) watch.caughtUp().then(leave, leave);
    return { ...response, body: watch };
  }

  #track(body: AsyncIterable<Uint8Array>, stop: AbortController): TrackedWatch {
    const { watches, move, echoes } = this.#dependencies;
    let forget: Disposable | undefined;
    let unfollow: Disposable | undefined;
    const watch = new TrackedWatch({
      actor: this.#actor.name,
      facts: this.facts,
      body,
      onMove: move,
      newestIn: echoes === undefined ? undefined : newestIn,
      onEnd: () => {
        watches.remove(watch);
        forget?.[Symbol.dispose]();
        unfollow?.[Symbol.dispose]();
        stop.abort();
      },
    });
    watches.add(watch);
    stop.signal.addEventListener('abort', () => watch.cut(stop.signal.reason), { once: true });
    forget = onAbort(this.#actor.life, () => watch.cut(gone(this.#actor)));
    unfollow = this.#actor.standstill?.follow(watch);
    return watch;
  }

  #noteWrite(): void {
    // A test that writes a lot does so on purpose.
    if (this.#actor.life !== undefined) this.#dependencies.noteWrite(this.#entry);
    this.#actor.onWrite?.(this.#entry);
  }

  #begin(): void {
    this.#dependencies.move();
    this.#dependencies.busy.add(this.#entry);
  }

  #rest(): void {
    this.#dependencies.move();
    this.#dependencies.busy.delete(this.#entry);
  }

  #refuseTheDead(): void {
    if (this.#actor.life?.aborted) throw gone(this.#actor);
  }
}

/** What somebody is told who is no more: that there is no answer. */
export function gone({ name }: Actor): ClientError {
  const cause = new Error(`the process of ${name} is gone`);
  return new ClientError({ code: 'Unreachable', server: 'the server', isSent: true }, { cause });
}

/** Aborts with the signal, and may abort before. */
function linkedTo(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  onAbort(signal, (reason) => controller.abort(reason));
  return controller;
}
