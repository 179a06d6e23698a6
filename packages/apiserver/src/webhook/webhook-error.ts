/** Reason why a webhook gave no readable response. */
export type WebhookFailure =
  /** Connection refused, untrusted or broken. `detail` has the wording of Go's transport. */
  | { readonly code: 'Unreachable'; readonly url: string; readonly detail: string }
  | { readonly code: 'TimedOut'; readonly url: string }
  /** Response with a status other than 2xx. */
  | { readonly code: 'Refused'; readonly status: number; readonly message: string }
  | { readonly code: 'Unreadable'; readonly detail: string };

/** A failed call of a webhook. The message is what Kubernetes shows after `failed to call webhook: `. */
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
