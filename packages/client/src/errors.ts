/**
 * Why there is no answer from the API. What the API itself answers with, however bad, is a `StatusError` of
 * `@pintle/machinery/errors`.
 */
export type ClientFailure =
  /** No connection, or it broke. `isSent`: the server may have acted on the request. */
  | { readonly code: 'Unreachable'; readonly server: string; readonly isSent: boolean }
  | { readonly code: 'TimedOut'; readonly what: string; readonly afterMs: number }
  /** The server answered with something that is not the API's. */
  | { readonly code: 'Unreadable'; readonly what: string }
  | { readonly code: 'BadConfig'; readonly what: string }
  | { readonly code: 'NoCredentials'; readonly what: string }
  | { readonly code: 'UnknownKind'; readonly what: string }
  /** An object has one controller. */
  | { readonly code: 'AlreadyOwned'; readonly object: string; readonly owner: string }
  /** Another may lead now. */
  | { readonly code: 'LeaseLost'; readonly lease: string }
  /** There was no room for it. */
  | { readonly code: 'Dropped'; readonly what: string }
  | { readonly code: 'Closed'; readonly what: string }
  /** The other end cannot do it, or this way to it cannot. */
  | { readonly code: 'Unsupported'; readonly what: string }
  /** The other end of a forwarded connection said no. */
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
      return `Cannot wait longer for ${failure.what}: ${failure.afterMs} ms have passed`;
    case 'Unreadable':
      return `Cannot read the server's answer: ${failure.what}${because}`;
    case 'BadConfig':
      return `Cannot use the configuration: ${failure.what}${because}`;
    case 'NoCredentials':
      return `Cannot get credentials: ${failure.what}${because}`;
    case 'UnknownKind':
      return `Cannot find a resource for ${failure.what}: the server serves none`;
    case 'AlreadyOwned':
      return `Cannot own ${failure.object}: ${failure.owner} controls it`;
    case 'LeaseLost':
      return `Cannot go on leading: the lease ${failure.lease} was lost`;
    case 'Dropped':
      return `Cannot keep ${failure.what}`;
    case 'Unsupported':
      return `Cannot ask for ${failure.what}: it is not supported`;
    case 'Refused':
      return `Cannot forward the connection: ${failure.what}`;
    case 'Closed':
      return `Cannot go on: ${failure.what} is closed`;
  }
}
