/** Why a webhook gave no answer that can be read. */
export type WebhookFailure =
  /** No connection, no trust, or the connection broke. `detail` is in the words of Go's transport. */
  | { readonly code: 'Unreachable'; readonly url: string; readonly detail: string }
  | { readonly code: 'TimedOut'; readonly url: string }
  /** It answered with a code other than 2xx. */
  | { readonly code: 'Refused'; readonly status: number; readonly message: string }
  | { readonly code: 'Unreadable'; readonly detail: string };

/** A call to a webhook that failed. The message is what Kubernetes says after `failed to call webhook: `. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly failure: WebhookFailure;

  constructor(failure: WebhookFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: WebhookFailure): string {
  switch (failure.code) {
    case 'Unreachable':
      return `Post ${JSON.stringify(failure.url)}: ${failure.detail}`;
    case 'TimedOut':
      return `Post ${JSON.stringify(failure.url)}: context deadline exceeded`;
    case 'Refused':
      return failure.message;
    case 'Unreadable':
      return failure.detail;
  }
}
