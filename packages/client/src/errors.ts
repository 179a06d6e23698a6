/**
 * Reason why there is no response from the API. Errors that the API itself responds with are `StatusError`s of
 * `@pintle/machinery/errors`.
 */
export type ClientFailure =
  /** There is no connection, or it broke. `isSent`: the server may have acted on the request. */
  | { readonly code: 'Unreachable'; readonly server: string; readonly isSent: boolean }
  | { readonly code: 'TimedOut'; readonly what: string; readonly afterMs: number }
  /** The response is not one of the Kubernetes API. */
  | { readonly code: 'Unreadable'; readonly what: string }
  | { readonly code: 'BadConfig'; readonly what: string }
  | { readonly code: 'NoCredentials'; readonly what: string }
  | { readonly code: 'UnknownKind'; readonly what: string }
  /** An object has at most one controller. */
  | { readonly code: 'AlreadyOwned'; readonly object: string; readonly owner: string }
  /** Another candidate may lead now. */
  | { readonly code: 'LeaseLost'; readonly lease: string }
  /** A queue was full. */
  | { readonly code: 'Dropped'; readonly what: string }
  | { readonly code: 'Closed'; readonly what: string }
  /** The server or the transport does not support it. */
  | { readonly code: 'Unsupported'; readonly what: string }
  /** The pod refused a forwarded connection. */
  | { readonly code: 'Refused'; readonly what: string };

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure, options?: ErrorOptions) {
    super(describe(failure, options?.cause), options);
    this.failure = failure;
  }
}

function describe(failure: ClientFailure, cause: unknown): string {
  const because = cause instanceof Error ? `: ${cause.message}` : '';
  switch (failure.code) {
    case 'Unreachable':
      return `Cannot reach ${failure.server}${because}`;
    case 'TimedOut':
      return `Cannot wait for ${failure.what}: timed out after ${failure.afterMs} ms`;
    case 'Unreadable':
      return `Cannot read response: ${failure.what}${because}`;
    case 'BadConfig':
      return `Cannot use the configuration: ${failure.what}${because}`;
    case 'NoCredentials':
      return `Cannot get credentials: ${failure.what}${because}`;
    case 'UnknownKind':
      return `Cannot find a resource for ${failure.what}: the server does not serve it`;
    case 'AlreadyOwned':
      return `Cannot own ${failure.object}: ${failure.owner} controls it`;
    case 'LeaseLost':
      return `Cannot continue leading: lease ${failure.lease} was lost`;
    case 'Dropped':
      return `Cannot queue ${failure.what}`;
    case 'Unsupported':
      return `Cannot use ${failure.what}: not supported`;
    case 'Refused':
      return `Cannot forward connection: ${failure.what}`;
    case 'Closed':
      return `Cannot continue: ${failure.what} is closed`;
  }
}
