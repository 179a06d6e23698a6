/** A part of a value that does not fit its schema: its path (`.spec.ports[port=80]`) and the problem. */
export interface TypedProblem {
  readonly path: string;
  readonly problem: string;
}

/** Why field ownership cannot be computed. */
export type FieldsFailure =
  /** Text that is not FieldsV1. */
  | { readonly code: 'MalformedFields'; readonly problem: string }
  /** An invalid entry of `metadata.managedFields`. */
  | { readonly code: 'InvalidEntry'; readonly index: number; readonly problem: string }
  /** A configuration that cannot be applied because it does not fit its schema. */
  | { readonly code: 'NotTyped'; readonly problems: readonly TypedProblem[] }
  /** A stored object that does not fit the version of the request. `isOwned`: fields of it had owners already. */
  | { readonly code: 'LiveNotTyped'; readonly problem: string; readonly isOwned: boolean }
  /** An object that does not fit the schema of another version in which fields are owned. */
  | { readonly code: 'NotConverted'; readonly problem: string }
  /** The defaults of the keys that identify items would take more bytes than a request may have. */
  | { readonly code: 'TooLarge'; readonly maxBytes: number };

export class FieldsError extends Error {
  override readonly name = 'FieldsError';
  readonly failure: FieldsFailure;

  constructor(failure: FieldsFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: FieldsFailure): string {
  switch (failure.code) {
    case 'MalformedFields':
    case 'InvalidEntry':
    case 'LiveNotTyped':
    case 'NotConverted':
      return failure.problem;
    case 'TooLarge':
      return `Cannot identify the items of a list: their keys take more than ${failure.maxBytes} bytes`;
    case 'NotTyped':
      return describeProblems(failure.problems);
  }
}

/** Describes one problem plainly, several in indented lines, as Kubernetes does. */
function describeProblems(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, problem }) => (path === '' ? problem : `${path}: ${problem}`));
  return texts.length === 1 ? texts[0]! : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}
