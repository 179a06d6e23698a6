/** What comes after a reconcile that went well. Nothing: the next change does. */
export interface Result {
  /** Look again after so long, whatever happens before. */
  readonly requeueAfterMs?: number;
  readonly priority?: number;
  /** Is written `requeueAfterMs` here, in milliseconds. */
  readonly requeueAfter?: SayRequeueAfterMs;
  /** Is written `requeueAfterMs` here: `requeueAfterMs: 0` looks again at once; an error is tried again, later each time. */
  readonly requeue?: SayRequeueAfterMs;
}

/** Has no values: its name tells, in the compiler's message, how the field is written here. */
export interface SayRequeueAfterMs {
  readonly [sayRequeueAfterMs]: never;
}
declare const sayRequeueAfterMs: unique symbol;

/** Trying again would not help: somebody has to change something first. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
