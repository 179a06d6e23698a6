/** Why a path cannot be used. */
export type JsonPathFailure =
  | { readonly code: 'Syntax'; readonly problem: string }
  | { readonly code: 'NotEvaluated'; readonly problem: string }
  | { readonly code: 'TooLong'; readonly maxLength: number }
  | { readonly code: 'TooMuchWork'; readonly maxVisits: number };

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
  readonly failure: JsonPathFailure;

  constructor(failure: JsonPathFailure) {
    super(describe(failure));
    this.failure = failure;
  }
}

function describe(failure: JsonPathFailure): string {
  switch (failure.code) {
    case 'Syntax':
    case 'NotEvaluated':
      return failure.problem;
    case 'TooLong':
      return `path is longer than ${failure.maxLength} characters`;
    case 'TooMuchWork':
      return `path visits more than ${failure.maxVisits} values`;
  }
}
