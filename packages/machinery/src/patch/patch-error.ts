/** Why a patch cannot be applied. */
export type PatchFailure =
  | { readonly code: 'Malformed'; readonly problem: string }
  | { readonly code: 'TooManyOperations'; readonly count: number; readonly max: number }
  /** The document does not have what the operation needs. */
  | { readonly code: 'NotApplicable'; readonly operation: number; readonly problem: string }
  | { readonly code: 'TestFailed'; readonly operation: number; readonly path: string }
  | { readonly code: 'TooLarge'; readonly maxBytes: number }
  | { readonly code: 'TooDeep'; readonly maxDepth: number }
  /** A malformed directive of a strategic merge patch. */
  | { readonly code: 'BadDirective'; readonly problem: string }
  /** A strategic merge patch that Kubernetes does not support. */
  | { readonly code: 'Unsupported'; readonly problem: string }
  /** A strategic merge patch that does not fit its document. */
  | { readonly code: 'CannotMerge'; readonly problem: string };

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure) {
    super(describe(failure));
    this.failure = failure;
  }
}

function describe(failure: PatchFailure): string {
  switch (failure.code) {
    case 'Malformed':
    case 'BadDirective':
    case 'Unsupported':
    case 'CannotMerge':
      return failure.problem;
    case 'TooManyOperations':
      return `The allowed maximum operations in a JSON patch is ${failure.max}, got ${failure.count}`;
    case 'NotApplicable':
      return `Cannot apply operation ${failure.operation}: ${failure.problem}`;
    case 'TestFailed':
      return `Cannot apply operation ${failure.operation}: the value at ${JSON.stringify(failure.path)} is not the expected one`;
    case 'TooLarge':
      return `Cannot apply the patch: its copies are larger than ${failure.maxBytes} bytes`;
    case 'TooDeep':
      return `Cannot apply the patch: the result is nested deeper than ${failure.maxDepth} levels`;
  }
}
