import type { AuditEvent, AuditSink } from '@pintle/apiserver';
import { encodeAuditEvent } from '@pintle/apiserver/audit';
import { type Deferred, deferred, oncePerTurn } from '@pintle/async';
import type { EncodedEvent } from '../serve/server-processes.ts';

interface AuditSinksOptions {
  /** Sends events with the number of the last. Resolves once they have left. */
  readonly send: (events: readonly EncodedEvent[], through: number) => Promise<void>;
  /** True when writers wait until their events are written. */
  readonly isBlocking: boolean;
}

/** Bytes that may wait for the main process; events beyond that are dropped and counted. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Sinks of events that the main process writes, in the order in which they were written here. */
export class AuditSinks {
  readonly users: AuditSink;
  readonly anonymous: AuditSink;
  readonly #options: AuditSinksOptions;
  readonly #flush = oncePerTurn(() => void this.#send());
  #waiting: EncodedEvent[] = [];
  #waitingBytes = 0;
  #isSending = false;
  #last = 0;
  #written = 0;
  #dropped = 0;
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

  /** Resolves once every event has been written, or the main process is gone. */
  async flushed(): Promise<void> {
    await this.#wait();
  }

  #sink(isAnonymous: boolean): AuditSink {
    const isFailing = (): boolean => this.#isFailing;
    const dropped = (): number => (isAnonymous ? 0 : this.#dropped);
    return {
      write: (event) => this.#write(event, isAnonymous),
      ...(this.#options.isBlocking && { written: () => this.#wait() }),
      get isFailing() {
        return isFailing();
      },
      get dropped() {
        return dropped();
      },
    };
  }

  #write(event: AuditEvent, isAnonymous: boolean): void {
    const json = encodeAuditEvent(event);
    if (this.#waitingBytes + json.length > MAX_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#last++;
    this.#waitingBytes += json.length;
    this.#waiting.push([json, isAnonymous]);
    if (!this.#isSending) this.#flush();
  }

  #wait(): Promise<void> {
    if (this.#written >= this.#last) return Promise.resolve();
    const done = deferred();
    this.#waits.push({ number: this.#last, done });
    return done.promise;
  }

  async #send(): Promise<void> {
    if (this.#isSending || this.#waiting.length === 0) return;
    this.#isSending = true;
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      await this.#options.send(events, this.#last);
    } catch {
      this.#dropped += events.length;
      this.audited(this.#last, true);
    }
    this.#isSending = false;
    this.#flush();
  }
}
