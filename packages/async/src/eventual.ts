/** A value, or a promise of it. */
export type Eventual<T> = T | Promise<T>;

/**
 * Continues with a value: synchronously unless it is a promise. For paths on which nearly every value is present, and where
 * a microtask for each step would cost more than the step.
 */
export function after<T, U>(value: Eventual<T>, goOn: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** As `after`, with a handler for what `run` throws or rejects with. Errors of `goOn` are not caught. */
export function attempt<T, U>(
  run: () => Eventual<T>,
  goOn: (value: T) => Eventual<U>,
  failed: (error: unknown) => Eventual<U>,
): Eventual<U> {
  let value: Eventual<T>;
  try {
    value = run();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(goOn, failed) : goOn(value);
}
