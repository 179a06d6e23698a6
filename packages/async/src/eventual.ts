/** Something that is there already, or will be. */
export type Eventual<T> = T | Promise<T>;

/**
 * Goes on with something as soon as it is there: at once, if it is there already. For paths on which nearly everything
 * is, and a turn of the microtask queue for every step would cost more than the steps.
 */
export function after<T, U>(value: Eventual<T>, goOn: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** As `try { goOn(await run()) } catch`, where only what `run` throws, now or later, is caught. */
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
