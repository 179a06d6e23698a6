/**
 * Source of all time. Nothing in Pintle reads the machine's clock or sets a timer except through a `Clock`, so that a test
 * can hold time still and step it.
 */
export interface Clock {
  /** Wall-clock milliseconds since 1970; may jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow; for durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Calls back once after `ms` unless cancelled before. A pending timer never keeps the process alive. */
  setTimer(ms: number, callback: () => void): Timer;
}

export interface Timer extends Disposable {
  /** May be called at any time, any number of times. */
  cancel(): void;
}
