/** Something the person at the keyboard can mend: shown as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
