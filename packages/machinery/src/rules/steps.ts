/** Work that may take long: it yields where other work may go first, and returns its result at the end. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without pausing. Throws when a step waits for a promise. */
export function finish<T>(steps: Generator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value !== undefined) throw new TypeError('Cannot run steps without pausing: a step waits for a promise');
  }
}
