import type { Eventual } from '@pintle/async';

/** A request that has arrived. */
export interface Arrival<T> {
  readonly work: () => Eventual<T>;
  readonly send: (result: T) => void;
  readonly fail: () => void;
}

/**
 * Answers together what arrived together: all that a turn of the event loop brought is worked on first, then all of it is
 * sent. Reading, working and sending are three large bodies of code that drive each other out of the processor's caches:
 * request by request each of them starts cold, and that costs more than the work does.
 */
export class Turns<T> {
  #arrived: Arrival<T>[] = [];
  #answers: [Arrival<T>, T][] = [];

  arrive(arrival: Arrival<T>): void {
    if (this.#arrived.push(arrival) === 1) setImmediate(this.#work);
  }

  readonly #work = (): void => {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const arrival of arrived) this.#begin(arrival);
  };

  #begin(arrival: Arrival<T>): void {
    try {
      const result = arrival.work();
      if (result instanceof Promise) result.then((later) => this.#answer(arrival, later), arrival.fail);
      else this.#answer(arrival, result);
    } catch {
      arrival.fail();
    }
  }

  /** The next tick comes when no more answers are due at once. */
  #answer(arrival: Arrival<T>, result: T): void {
    if (this.#answers.push([arrival, result]) === 1) process.nextTick(this.#send);
  }

  readonly #send = (): void => {
    const answers = this.#answers;
    this.#answers = [];
    for (const [arrival, result] of answers) arrival.send(result);
  };
}
