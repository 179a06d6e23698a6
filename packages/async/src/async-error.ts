/** Reason why an operation of this package failed. An abort is no failure: it rejects with the signal's reason. */
export type AsyncFailure =
  | { readonly code: 'TimedOut'; readonly timeoutMs: number }
  | { readonly code: 'ChannelClosed' };

export class AsyncError extends Error {
  override readonly name = 'AsyncError';
  readonly failure: AsyncFailure;

  constructor(failure: AsyncFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: AsyncFailure): string {
  switch (failure.code) {
    case 'TimedOut':
      return `Cannot wait any longer: ${failure.timeoutMs} ms have passed`;
    case 'ChannelClosed':
      return 'Cannot send: the channel is closed';
  }
}
