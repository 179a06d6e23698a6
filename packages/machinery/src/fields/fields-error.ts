/** Something in a value that does not fit its schema: where it stands (`.spec.ports[port=80]`) and what is wrong. */
export interface TypedProblem {
  readonly path: string;
  readonly problem: string;
}

/** Why field ownership cannot be worked out. */
export type FieldsFailure =
  /** FieldsV1 that nobody could have written. */
  | { readonly code: 'MalformedFields'; readonly problem: string }
  /** An entry of `metadata.managedFields` that says nothing usable. */
  | { readonly code: 'InvalidEntry'; readonly index: number; readonly problem: string }
  /** A configuration that cannot be applied because its schema does not allow it. */
  | { readonly code: 'NotTyped'; readonly problems: readonly TypedProblem[] }
  /** A stored object that does not fit the version of the request. `isOwned`: somebody owned fields of it already. */
  | { readonly code: 'LiveNotTyped'; readonly problem: string; readonly isOwned: boolean }
  /** An object that does not fit the schema of another version that somebody owns fields in. */
  | { readonly code: 'NotConverted'; readonly problem: string }
  /** The defaults of the keys that identify items would take more than a request may send. */
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

/** One problem plainly, several in indented lines, as Kubernetes puts them. */
function describeProblems(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, problem }) => (path === '' ? problem : `${path}: ${problem}`));
  return texts.length === 1 ? texts[0]! : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}
