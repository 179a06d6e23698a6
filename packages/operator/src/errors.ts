/** Reason why an operator cannot continue. */
export type OperatorFailure =
  /** Something did not stop within the grace period. */
  | { readonly code: 'GraceElapsed'; readonly afterMs: number; readonly waitingFor: string }
  /** A reconcile took longer than its controller allows. */
  | { readonly code: 'TimedOut'; readonly controller: string; readonly timeoutMs: number }
  /** The caches of a controller did not sync: a kind is missing, or may not be listed. */
  | {
      readonly code: 'NotSynced';
      readonly controller: string;
      /** `error` is that of the last failed list or watch. */
      readonly kinds: readonly { readonly kind: string; readonly error?: string }[];
      readonly timeoutMs: number;
    }
  /** Kubernetes does not allow the owner reference. */
  | { readonly code: 'CannotOwn'; readonly owner: string; readonly child: string; readonly because: string }
  /** An object has at most one controller. */
  | { readonly code: 'OwnedByAnother'; readonly child: string; readonly owner: string }
  | { readonly code: 'NoNamespace'; readonly child: string; readonly owner: string }
  /** A reconcile ended before a call that it started: an `await` is missing. */
  | { readonly code: 'NotAwaited'; readonly object: string; readonly calls: readonly string[] }
  /** The system refuses the port. `setting` is the variable that sets it in projects. */
  | {
      readonly code: 'PortTaken';
      readonly serves: string;
      readonly port: number;
      readonly isForbidden: boolean;
      readonly setting: string;
    }
  | { readonly code: 'NoCertificate'; readonly where: string }
  /** The URL is a loopback address, and the API server is on another machine. */
  | { readonly code: 'WebhooksOutOfReach'; readonly server: string; readonly url: string }
  /** The Secret was not created by the operator. */
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
      return `Cannot stop the ${failure.waitingFor}: still running after ${failure.afterMs} ms`;
    case 'TimedOut':
      return `Cannot finish the reconcile of ${failure.controller}: timed out after ${failure.timeoutMs} ms`;
    case 'NotAwaited':
      return `Cannot end the reconcile of ${failure.object}: it did not await ${failure.calls.join(', ')}`;
    case 'NotSynced':
      return describeUnlisted(failure);
    case 'CannotOwn':
      return `Cannot make ${failure.owner} the owner of ${failure.child}: ${failure.because}`;
    case 'OwnedByAnother':
      return `Cannot apply ${failure.child}: ${failure.owner} controls it`;
    case 'NoNamespace':
      return `Cannot apply ${failure.child}: it has no namespace, and neither has its owner, ${failure.owner}`;
    case 'PortTaken':
      return `Cannot serve ${failure.serves} at port ${failure.port}: ${failure.isForbidden ? 'this user may not listen there' : 'another program listens there'}. Set another port with ${failure.setting} in the environment; 0 chooses a free one`;
    case 'NoCertificate':
      return `Cannot serve webhooks: no certificate in ${failure.where}`;
    case 'WebhooksOutOfReach':
      return `Cannot register webhooks at ${failure.server}: it cannot reach ${failure.url}, a loopback address of this machine. Set a reachable URL with --webhook-url (in code, \`webhooks.url\`), or run without webhooks with --no-webhooks`;
    case 'ForeignSecret':
      return `Cannot store certificates in Secret ${failure.secret}: it was not created by this operator`;
  }
}

function describeUnlisted({ controller, kinds, timeoutMs }: Extract<OperatorFailure, { code: 'NotSynced' }>): string {
  const names = kinds.map(({ kind }) => kind).join(', ');
  const errors = kinds.flatMap(({ kind, error }) => (error === undefined ? [] : [`${kind}: ${error}`]));
  const last = errors.length === 0 ? '' : `. The last attempt failed: ${errors.join('; ')}`;
  return `Cannot start ${controller}: ${names} not listed within ${timeoutMs} ms${last}`;
}

/** Returns the error for a port at which a server cannot listen; other errors as they are. */
export function listenError(
  error: unknown,
  { serves, port, setting }: { readonly serves: string; readonly port: number; readonly setting: string },
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  return new OperatorError(
    { code: 'PortTaken', serves, port, isForbidden: code === 'EACCES', setting },
    { cause: error },
  );
}
