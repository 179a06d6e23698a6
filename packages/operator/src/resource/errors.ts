/** Problem of a resource's definition, or of an object. */
export interface DefinitionProblem {
  /** Path in the resource: `spec.containers[].image`; with the version in front when there are several. */
  readonly path: string;
  readonly message: string;
}

export type ResourceFailure =
  | { readonly code: 'InvalidDefinition'; readonly resource: string; readonly problems: readonly DefinitionProblem[] }
  /** The server accepted the definition but does not serve it. */
  | { readonly code: 'NotEstablished'; readonly resource: string; readonly reason: string }
  | { readonly code: 'NoSuchVersion'; readonly resource: string; readonly apiVersion: string }
  /** A conversion failed on an object that is not valid by the schema of its version. */
  | {
      readonly code: 'NotConvertible';
      readonly resource: string;
      readonly name: string;
      readonly from: string;
      readonly to: string;
      readonly problems: readonly DefinitionProblem[];
    };

/** Thrown when a resource cannot be defined, installed or converted. */
export class ResourceError extends Error {
  override readonly name = 'ResourceError';
  readonly failure: ResourceFailure;

  constructor(failure: ResourceFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: ResourceFailure): string {
  switch (failure.code) {
    case 'InvalidDefinition': {
      const lines = failure.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
      return `Cannot define ${failure.resource}: ${lines.length === 1 ? lines[0] : lines.map((line) => `\n  ${line}`).join('')}`;
    }
    case 'NotEstablished':
      return `Cannot install ${failure.resource}: ${failure.reason}`;
    case 'NoSuchVersion':
      return `Cannot convert ${failure.resource} to ${failure.apiVersion}: the resource has no such version`;
    case 'NotConvertible': {
      const problems = failure.problems.map(({ path, message }) => `${path}: ${message}`).join(', ');
      return `Cannot convert ${failure.resource} ${failure.name} to ${failure.to}: it is not valid in ${failure.from}: ${problems}`;
    }
  }
}
