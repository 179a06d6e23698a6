/** Why an operator cannot go on. */
export type OperatorFailure =
  /** Told to stop, something did not in the time it had. */
  | { readonly code: 'GraceElapsed'; readonly afterMs: number; readonly waitingFor: string }
  /** A reconcile took longer than its controller allows. */
  | { readonly code: 'TimedOut'; readonly controller: string; readonly timeoutMs: number }
  /** The caches a controller reads from did not fill: a kind is missing, or may not be listed. */
  | {
      readonly code: 'NotSynced';
      readonly controller: string;
      /** `error`: why the last attempt to list or watch it failed. */
      readonly kinds: readonly { readonly kind: string; readonly error?: string }[];
      readonly timeoutMs: number;
    }
  /** Kubernetes' rules do not let the one own the other. */
  | { readonly code: 'CannotOwn'; readonly owner: string; readonly child: string; readonly because: string }
  /** An object has one controller. */
  | { readonly code: 'OwnedByAnother'; readonly child: string; readonly owner: string }
  | { readonly code: 'NoNamespace'; readonly child: string; readonly owner: string }
  /** A reconcile has ended, but not what it began: an `await` is missing. */
  | { readonly code: 'NotAwaited'; readonly object: string; readonly calls: readonly string[] }
  | { readonly code: 'NoCertificate'; readonly where: string }
  /** The API server would look for an address of this machine on its own. */
  | { readonly code: 'WebhooksOutOfReach'; readonly server: string; readonly url: string }
  /** Somebody else keeps something there. */
  | { readonly code: 'ForeignSecret'; readonly secret: string };

export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly failure: OperatorFailure;

  constructor(failure: OperatorFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: OperatorFailure): string {
  switch (failure.code) {
    case 'GraceElapsed':
      return `Cannot wait longer for the ${failure.waitingFor} to stop: ${failure.afterMs} ms have passed`;
    case 'TimedOut':
      return `Cannot reconcile any longer: ${failure.controller} allows ${failure.timeoutMs} ms`;
    case 'NotAwaited':
      return `Cannot end the reconcile of ${failure.object}: it did not await ${failure.calls.join(', ')}`;
    case 'NotSynced':
      return describeUnlisted(failure);
    case 'CannotOwn':
      return `Cannot let ${failure.owner} own ${failure.child}: ${failure.because}`;
    case 'OwnedByAnother':
      return `Cannot apply ${failure.child}: ${failure.owner} controls it`;
    case 'NoNamespace':
      return `Cannot apply ${failure.child}: it has no namespace, and neither has its owner, ${failure.owner}`;
    case 'NoCertificate':
      return `Cannot serve webhooks: there is no certificate in ${failure.where}`;
    case 'WebhooksOutOfReach':
      return `Cannot register webhooks at ${failure.server}: it cannot reach ${failure.url}, an address of this machine alone. Say one that it reaches with --webhook-url (in code, \`webhooks.url\`), or --no-webhooks to run without them`;
    case 'ForeignSecret':
      return `Cannot keep certificates in Secret ${failure.secret}: it is somebody else's`;
  }
}

function describeUnlisted({ controller, kinds, timeoutMs }: Extract<OperatorFailure, { code: 'NotSynced' }>): string {
  const names = kinds.map(({ kind }) => kind).join(', ');
  const errors = kinds.flatMap(({ kind, error }) => (error === undefined ? [] : [`${kind}: ${error}`]));
  const last = errors.length === 0 ? '' : `. The last attempt failed: ${errors.join('; ')}`;
  return `Cannot start ${controller}: ${names} not listed within ${timeoutMs} ms${last}`;
}
