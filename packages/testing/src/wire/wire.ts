import { setMaxListeners } from 'node:events';
import type { Clock } from '@pintle/async';
import { onAbort, realClock } from '@pintle/async';
import type { Transport, TransportRequest, TransportResponse } from '@pintle/client';
import { ClientError } from '@pintle/client';
import type { Faults } from '../faults/faults.ts';
import { Lane } from './lane.ts';
import { factsOf } from './request-facts.ts';
import type { LoggedRequest } from './request-log.ts';
import { RequestLog } from './request-log.ts';
import { TrackedWatch } from './tracked-watch.ts';
import { Watches } from './watches.ts';

/** Who sends requests through the wire, for as long as it lives. */
export interface Actor {
  readonly name: string;
  /** Aborts when the process it stands for is gone: nothing it sends arrives any more, and its watches end. */
  readonly life?: AbortSignal;
  /** Called after each write that took effect, before its answer is passed on. */
  readonly onWrite?: (entry: LoggedRequest) => void;
}

/** So many turns of the event loop in a row without anything happening: nothing will, until time passes. */
const QUIET_TURNS = 2;
/** A request that does not move for so long waits for time to pass, or for somebody outside. */
const STUCK_AFTER_MS = 5_000;
/** Whatever is still busy then will be busy for ever. */
const MAX_TURNS = 200_000;

/**
 * What everybody's requests pass on their way to the server: it writes them down, puts faults in their way, and knows
 * when nothing moves any more.
 */
export class Wire {
  readonly log = new RequestLog();
  readonly watches = new Watches();
  readonly #faults: Faults;
  readonly #clock: () => Clock;
  /** Requests the server is working on. */
  readonly #busy = new Set<LoggedRequest>();
  #activity = 0;
  readonly #lane: Lane | undefined;

  /** `isSequential`: requests pass one at a time. */
  constructor(faults: Faults, clock: () => Clock, { isSequential }: { readonly isSequential: boolean }) {
    this.#faults = faults;
    this.#clock = clock;
    this.#lane = isSequential ? new Lane() : undefined;
  }

  /** Grows with everything that passes. */
  get activity(): number {
    return this.#activity;
  }

  get busyRequests(): number {
    return this.#busy.size;
  }

  /** The way to the server as somebody. */
  connect(actor: Actor, transport: Transport): Transport {
    return {
      send: (request) => this.#send(actor, request, (sent) => transport.send(sent)),
      isProbed: transport.isProbed === true,
      close: async () => await transport.close?.(),
    };
  }

  /** Requests need not wait for others until the result is disposed of: one that is under way asks somebody who may send some. */
  open(): Disposable {
    this.#activity++;
    return this.#lane?.open() ?? { [Symbol.dispose]: () => undefined };
  }

  /** A request that came to the server by itself, under the name its client goes by. */
  async fromOutside<T extends TransportResponse>(
    { method, path, query, headers }: Pick<TransportRequest, 'method' | 'path' | 'query' | 'headers'>,
    handle: () => Promise<T>,
  ): Promise<T> {
    const agent = headers?.['user-agent'];
    const name = typeof agent === 'string' ? /^[^/\s]+/.exec(agent)?.[0] : undefined;
    const request = { method, path, ...(query !== undefined && { query }) };
    return (await this.#send({ name: name ?? 'outside' }, request, handle)) as T;
  }

  /** Resolves once nothing moves any more, unless time passes. */
  async settle(): Promise<void> {
    let seen = this.#activity;
    let quietTurns = 0;
    let movedMs = realClock.monotonic();
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      await oneTurn();
      if (this.#activity !== seen) {
        seen = this.#activity;
        quietTurns = 0;
        movedMs = realClock.monotonic();
      } else if (this.#busy.size === 0) {
        if (++quietTurns >= QUIET_TURNS) return;
      } else if (realClock.monotonic() - movedMs > STUCK_AFTER_MS) this.#busy.clear();
      // Whoever is waited for works elsewhere: on a disk, in another process.
      else if (turn % 64 === 63) await realClock.sleep(1);
    }
    const last = this.log
      .all()
      .slice(-5)
      .map(({ actor, method, path }) => `${actor} ${method} ${path}`);
    throw new Error(`Cannot wait until nothing moves: it never ends. The last requests were\n  ${last.join('\n  ')}`);
  }

  async #send(
    actor: Actor,
    asked: TransportRequest,
    send: (request: TransportRequest) => Promise<TransportResponse>,
  ): Promise<TransportResponse> {
    if (actor.life?.aborted) throw gone(actor);
    const facts = factsOf(asked);
    if (actor.life !== undefined) setMaxListeners(0, actor.life);
    const stop = facts.verb === 'watch' ? linkedTo(asked.signal) : undefined;
    const request = stop === undefined ? asked : { ...asked, signal: stop.signal };
    const clock = this.#clock();
    const entry = this.log.begin(request, facts, actor.name, clock.now());
    const begin = (): void => {
      this.#activity++;
      this.#busy.add(entry);
    };
    const rest = (): void => {
      this.#activity++;
      this.#busy.delete(entry);
    };
    let leave: (() => void) | undefined;
    const next = async (sent: TransportRequest = request): Promise<TransportResponse> => {
      leave = await this.#lane?.enter();
      const response = await send({ ...sent, headers: { 'audit-id': `request-${entry.sequence}`, ...sent.headers } });
      if (stop === undefined) leave?.();
      if (actor.life?.aborted) throw gone(actor);
      entry.status = response.status;
      if (facts.isWrite && response.status < 300) actor.onWrite?.(entry);
      if (actor.life?.aborted) throw gone(actor);
      return response;
    };
    const sleep = async (ms: number): Promise<void> => {
      rest();
      try {
        await clock.sleep(ms, { ...(request.signal && { signal: request.signal }) });
      } finally {
        begin();
      }
    };
    begin();
    try {
      const fault = this.#faults.choose({ ...facts, actor: actor.name });
      if (fault !== undefined) entry.fault = fault.name;
      const response = fault === undefined ? await next() : await fault.apply({ request, facts, next, sleep });
      if (actor.life?.aborted) throw gone(actor);
      entry.status = response.status;
      if (stop === undefined || response.status !== 200 || response.body instanceof Uint8Array) return response;
      const watch = this.#track(actor, facts, response.body, stop);
      leave = afterwards(watch.caughtUp(), leave);
      return { ...response, body: watch };
    } finally {
      leave?.();
      rest();
    }
  }

  #track(
    actor: Actor,
    facts: TrackedWatch['facts'],
    body: AsyncIterable<Uint8Array>,
    stop: AbortController,
  ): TrackedWatch {
    let forget: Disposable | undefined;
    const watch = new TrackedWatch({
      actor: actor.name,
      facts,
      body,
      onMove: () => this.#activity++,
      onEnd: () => {
        this.watches.remove(watch);
        forget?.[Symbol.dispose]();
        stop.abort();
      },
    });
    this.watches.add(watch);
    stop.signal.addEventListener('abort', () => watch.cut(stop.signal.reason), { once: true });
    forget = onAbort(actor.life, () => watch.cut(gone(actor)));
    return watch;
  }
}

/** Leaves once the promise is fulfilled. */
function afterwards(promise: Promise<void>, leave: (() => void) | undefined): undefined {
  if (leave !== undefined) promise.then(leave, leave);
  return undefined;
}

/** Aborts with the signal, and may abort before. */
function linkedTo(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  else signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller;
}

function gone({ name }: Actor): ClientError {
  const cause = new Error(`the process of ${name} is gone`);
  return new ClientError({ code: 'Unreachable', server: 'the server', isSent: true }, { cause });
}

function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
