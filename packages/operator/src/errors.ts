/** Why an operator cannot go on. */
export type OperatorFailure =
  /** Told to stop, something did not in the time it had. */
  { readonly code: 'GraceElapsed'; readonly afterMs: number; readonly waitingFor: readonly string[] };

export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly failure: OperatorFailure;

  constructor(failure: OperatorFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: OperatorFailure): string {
  switch (failure.code) {
    case 'GraceElapsed':
      return `Cannot wait longer for ${failure.waitingFor.join(', ')} to stop: ${failure.afterMs} ms have passed`;
  }
}
