import type { AuditEvent, AuditSink } from '@pintle/apiserver';
import { encodeAuditEvent } from '@pintle/apiserver/audit';
import { type Deferred, deferred, oncePerTurn, realClock, type Timer } from '@pintle/async';
import type { EncodedEvent } from '../serve/server-processes.ts';

interface AuditSinksOptions {
  /** Sends events with the number of the last. Resolves once they have left. */
  readonly send: (events: readonly EncodedEvent[], through: number) => Promise<void>;
  /** True when writers wait until their events are written. */
  readonly isBlocking: boolean;
}

/** Time for which events wait for others, as in the log file. */
const GATHER_MS = 10;
/**
 * Bytes of each kind of events that may wait for the main process, so that anonymous clients do not push out those of users. Events
 * beyond that are dropped and counted, unless writers wait for them.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Counts for one kind of events. */
interface Counts {
  waitingBytes: number;
  dropped: number;
}

/** Sinks of events that the main process writes, in the order in which they were written here. */
export class AuditSinks {
  readonly users: AuditSink;
  readonly anonymous: AuditSink;
  readonly #options: AuditSinksOptions;
  readonly #flushNow = oncePerTurn(() => void this.#send());
  #timer: Timer | undefined;
  #waiting: EncodedEvent[] = [];
  readonly #counts = { users: nothingYet(), anonymous: nothingYet() };
  #isSending = false;
  #last = 0;
  #written = 0;
  #isFailing = false;
  readonly #waits: { readonly number: number; readonly done: Deferred<void> }[] = [];

  constructor(options: AuditSinksOptions) {
    this.#options = options;
    this.users = this.#sink(false);
    this.anonymous = this.#sink(true);
  }

  /** The main process has written all events up to a number, or lost them. */
  audited(through: number, isFailing: boolean): void {
    this.#written = through;
    this.#isFailing = isFailing;
    while (this.#waits[0] !== undefined && this.#waits[0].number <= through) this.#waits.shift()!.done.resolve();
  }

  /** Resolves once every event has been written, or is on its way, or the main process is gone. */
  async flushed(): Promise<void> {
    while (this.#written < this.#last) {
      if (this.#isSending || this.#options.isBlocking) await this.#wait();
      else await this.#send();
    }
  }

  #sink(isAnonymous: boolean): AuditSink {
    const isFailing = (): boolean => this.#isFailing;
    const counts = this.#countsOf(isAnonymous);
    return {
      write: (event) => this.#write(event, isAnonymous),
      ...(this.#options.isBlocking && { written: () => this.#wait() }),
      get isFailing() {
        return isFailing();
      },
      get dropped() {
        return counts.dropped;
      },
    };
  }

  #write(event: AuditEvent, isAnonymous: boolean): void {
    const json = encodeAuditEvent(event);
    const counts = this.#countsOf(isAnonymous);
    if (!this.#options.isBlocking && counts.waitingBytes + json.length > MAX_WAITING_BYTES) {
      counts.dropped++;
      return;
    }
    this.#last++;
    counts.waitingBytes += json.length;
    this.#waiting.push([json, isAnonymous]);
    this.#flush();
  }

  #countsOf(isAnonymous: boolean): Counts {
    return isAnonymous ? this.#counts.anonymous : this.#counts.users;
  }

  /** Sends in the next turn when writers wait, and otherwise together with the events of a moment. */
  #flush(): void {
    if (this.#isSending) return;
    if (this.#options.isBlocking) this.#flushNow();
    else this.#timer ??= realClock.setTimer(GATHER_MS, () => void this.#send());
  }

  #wait(): Promise<void> {
    if (this.#written >= this.#last) return Promise.resolve();
    const done = deferred();
    this.#waits.push({ number: this.#last, done });
    return done.promise;
  }

  async #send(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isSending || this.#waiting.length === 0) return;
    this.#isSending = true;
    const events = this.#waiting;
    this.#waiting = [];
    for (const counts of Object.values(this.#counts)) counts.waitingBytes = 0;
    const through = this.#last;
    try {
      await this.#options.send(events, through);
      if (!this.#options.isBlocking) this.audited(through, false);
    } catch {
      for (const [, isAnonymous] of events) this.#countsOf(isAnonymous).dropped++;
      this.audited(through, true);
    }
    this.#isSending = false;
    if (this.#waiting.length > 0) this.#flush();
  }
}

function nothingYet(): Counts {
  return { waitingBytes: 0, dropped: 0 };
}
