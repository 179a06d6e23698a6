/** Work that may take long, in pieces: it pauses where others may go first, and gives what it found at the end. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it at once. Throws where it would have to wait for something. */
export function finish<T>(steps: Generator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value !== undefined) throw new TypeError('Cannot finish at once: the work waits for something');
  }
}
