import { setMaxListeners } from 'node:events';
import { type Clock, realClock } from '@pintle/async';
import type { Transport, TransportRequest, TransportResponse } from '@pintle/client';
import type { Backend } from '../backend/backend.ts';
import type { Faults } from '../faults/faults.ts';
import { type LoggedRequest, RequestLog } from '../requests/request-log.ts';
import { Creations } from './creations.ts';
import { Echoes } from './echoes.ts';
import { Lane } from './lane.ts';
import { type Actor, gone, Passage, type PassageDependencies } from './passage.ts';
import { Repetition } from './repetition.ts';
import { Watches } from './watches.ts';

/** So many turns of the event loop in a row without anything happening: nothing will, until time passes. */
const QUIET_TURNS = 2;
/** A request that does not move for so long waits for time to pass, or for somebody outside. */
const STUCK_AFTER_MS = 5_000;
/** A server elsewhere that may have more to say says nothing for so long: it has nothing. */
const QUIET_ELSEWHERE_MS = 200;
/** Whatever is still busy then will be busy for ever. */
const MAX_TURNS = 200_000;

/** After so many requests the event loop turns: a server in this process may answer them all within one turn. */
const REQUESTS_PER_TURN = 128;

/**
 * What everybody's requests pass on their way to the server: it writes them down, puts faults in their way, and knows
 * when nothing moves any more.
 */
export class Wire {
  readonly log = new RequestLog();
  readonly watches = new Watches();
  /** Kept where the server is elsewhere, and outlives the plane. */
  readonly creations: Creations | undefined;
  readonly #faults: Faults;
  readonly #clock: () => Clock;
  /** Requests the server is working on. */
  readonly #busy = new Set<LoggedRequest>();
  readonly #lane: Lane | undefined;
  /** Grows with everything that passes. */
  #activity = 0;
  #requests = 0;
  readonly #repetition = new Repetition();
  #passages: PassageDependencies | undefined;
  /** Kept where the server is elsewhere, and works in its own time. */
  readonly #echoes: Echoes | undefined;

  /** `isSequential`: requests pass one at a time. `server`: where it is. */
  constructor(
    faults: Faults,
    clock: () => Clock,
    { isSequential, server }: { readonly isSequential: boolean; readonly server: Backend['kind'] },
  ) {
    this.#faults = faults;
    this.#clock = clock;
    this.creations = server === 'memory' ? undefined : new Creations();
    this.#echoes = server === 'memory' ? undefined : new Echoes({ isAlone: server === 'binaries' });
    this.#lane = isSequential ? new Lane() : undefined;
  }

  /** The way to the server as somebody. */
  connect(actor: Actor, transport: Transport): Transport {
    if (actor.life !== undefined) setMaxListeners(0, actor.life);
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
    handle: (query: string) => Promise<T>,
    actor?: string,
  ): Promise<T> {
    const agent = headers?.['user-agent'];
    const name = typeof agent === 'string' ? /^[^/\s]+/.exec(agent)?.[0] : undefined;
    const request = { method, path, ...(query !== undefined && { query }) };
    const send = (sent: TransportRequest): Promise<T> => handle(sent.query ?? '');
    return (await this.#send({ name: actor ?? name ?? 'outside' }, request, send)) as T;
  }

  /** Whoever else acts at a server elsewhere may do so now: only silence tells that nothing moves. */
  expectAnything(): void {
    this.#echoes?.expectAnything();
  }

  /** Resolves once nothing moves any more, unless time passes. */
  async settle(): Promise<void> {
    let seen = this.#activity;
    let quietTurns = 0;
    let movedMs = realClock.monotonic();
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      await oneTurn();
      const endless = this.#repetition.takeEndless();
      if (endless !== undefined) throw this.#neverEnding(endless);
      if (this.#activity !== seen) {
        seen = this.#activity;
        quietTurns = 0;
        movedMs = realClock.monotonic();
      } else if (this.#busy.size === 0) {
        if (realClock.monotonic() - movedMs > QUIET_ELSEWHERE_MS) this.#echoes?.clear();
        if (this.#echoes?.areExpected !== true && ++quietTurns >= QUIET_TURNS) return;
        if (this.#echoes?.areExpected === true) await realClock.sleep(1);
      } else if (realClock.monotonic() - movedMs > STUCK_AFTER_MS) this.#busy.clear();
      // Whoever is waited for works elsewhere: on a disk, in another process.
      else if (turn % 64 === 63) await realClock.sleep(1);
    }
    throw this.#neverEnding('it never ends');
  }

  #neverEnding(why: string): Error {
    return new Error(`Cannot wait until nothing moves: ${why}. The last requests were\n${this.log.tail(5)}`);
  }

  #send(actor: Actor, request: TransportRequest, send: Transport['send']): Promise<TransportResponse> {
    if (actor.life?.aborted) return Promise.reject(gone(actor));
    return new Passage(this.#dependencies(), actor, request, send).pass();
  }

  #dependencies(): PassageDependencies {
    this.#passages ??= {
      clock: this.#clock(),
      log: this.log,
      watches: this.watches,
      faults: this.#faults,
      lane: this.#lane,
      creations: this.creations,
      echoes: this.#echoes,
      busy: this.#busy,
      move: () => this.#activity++,
      breathe: () => (++this.#requests % REQUESTS_PER_TURN === 0 ? oneTurn() : undefined),
      noteWrite: (entry) => this.#repetition.note(entry, this.#clock().monotonic()),
    };
    return this.#passages;
  }
}

function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
