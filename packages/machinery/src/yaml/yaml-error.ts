/** Why a document was refused. */
export type YamlFailure =
  /** `line` is absent where Kubernetes omits it: for problems of the first line. */
  | { readonly code: 'Syntax'; readonly line?: number; readonly problem: string }
  | { readonly code: 'UnknownAnchor'; readonly anchor: string }
  | { readonly code: 'RecursiveAnchor'; readonly anchor: string }
  | { readonly code: 'InvalidKey'; readonly found: string }
  | { readonly code: 'NullKey'; readonly value: string }
  | { readonly code: 'InvalidMerge' }
  | { readonly code: 'TagMismatch'; readonly tag: string; readonly actual: string; readonly source: string }
  | { readonly code: 'InvalidBase64' }
  /** YAML has infinity and not-a-number; JSON has neither. */
  | { readonly code: 'NotInJson'; readonly number: '+Inf' | '-Inf' | 'NaN' }
  | { readonly code: 'TooManyAliases' }
  | { readonly code: 'TooLarge'; readonly bytes: number; readonly limit: number }
  | { readonly code: 'TooManyLines'; readonly limit: number }
  | { readonly code: 'TooManyTokens'; readonly limit: number }
  | { readonly code: 'TooDeep'; readonly limit: number };

export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly failure: YamlFailure;

  constructor(failure: YamlFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

/** Uses Kubernetes' messages where it has one, because the API server passes them on to clients. */
function describe(failure: YamlFailure): string {
  switch (failure.code) {
    case 'Syntax':
      return failure.line === undefined ? `yaml: ${failure.problem}` : `yaml: line ${failure.line}: ${failure.problem}`;
    case 'UnknownAnchor':
      return `yaml: unknown anchor '${failure.anchor}' referenced`;
    case 'RecursiveAnchor':
      return `yaml: anchor '${failure.anchor}' value contains itself`;
    case 'InvalidKey':
      return `yaml: invalid map key: ${failure.found}`;
    case 'NullKey':
      return `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${failure.value}`;
    case 'InvalidMerge':
      return 'yaml: map merge requires map or sequence of maps as the value';
    case 'TagMismatch':
      return `yaml: cannot decode ${failure.actual} \`${failure.source}\` as a ${failure.tag}`;
    case 'InvalidBase64':
      return 'yaml: !!binary value contains invalid base64 data';
    case 'NotInJson':
      return `json: unsupported value: ${failure.number}`;
    case 'TooManyAliases':
      return 'yaml: document contains excessive aliasing';
    case 'TooLarge':
      return `Cannot read YAML of ${failure.bytes} bytes: the limit is ${failure.limit}`;
    case 'TooManyLines':
      return `Cannot read YAML: it has more than ${failure.limit} lines`;
    case 'TooManyTokens':
      return `Cannot read YAML: it has more than ${failure.limit} tokens`;
    case 'TooDeep':
      return `Cannot read YAML: it is nested more than ${failure.limit} levels deep`;
  }
}
