/** What comes after a reconcile that went well. Nothing: the next change does. */
export interface Result {
  /** Look again after so long, whatever happens before. */
  readonly requeueAfterMs?: number;
  readonly priority?: number;
}

/** Trying again would not help: somebody has to change something first. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
