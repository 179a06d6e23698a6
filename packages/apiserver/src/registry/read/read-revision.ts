import type { Clock } from '@pintle/async';
import { badRequestError, timeoutError, unclassifiedError } from '@pintle/machinery/errors';
import type { Revision, Store } from '@pintle/store';
import { numberProblem } from '../../compat/go-messages.ts';

const CATCH_UP_MS = 3_000;
const POLL_MS = 50;

/** Parses a resourceVersion. Returns `undefined` for an empty one; 0 means any version. */
export function parseResourceVersion(text: string, { isWatch }: { readonly isWatch: boolean }): Revision | undefined {
  if (text === '') return undefined;
  const problem = versionProblem(text);
  if (problem !== undefined) {
    const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
    throw isWatch ? unclassifiedError(500, why) : badRequestError(`invalid resource version: ${why}`);
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER) as Revision;
}

/** Returns the reason why a text is not a resourceVersion, a number of 64 bits; `undefined` when it is one. */
export function versionProblem(text: string): string | undefined {
  return numberProblem(text, 'ParseUint');
}

/** Throws when an object has a resourceVersion that is malformed. */
export function refuseMalformedVersion(text: string): void {
  const problem = text === '' ? undefined : versionProblem(text);
  if (problem !== undefined) throw unclassifiedError(500, problem);
}

/** Waits briefly for the store to reach `revision`. Throws 504 with a hint to retry after that, as Kubernetes does. */
export async function waitForRevision(
  store: Store,
  clock: Clock,
  revision: Revision,
  request: { readonly signal: AbortSignal },
): Promise<void> {
  if (store.revision >= revision) return;
  const deadline = clock.monotonic() + CATCH_UP_MS;
  while (store.revision < revision) {
    if (clock.monotonic() >= deadline) throw tooLarge(revision, store.revision);
    await clock.sleep(POLL_MS, { signal: request.signal });
  }
}

function tooLarge(requested: Revision, current: Revision): Error {
  return timeoutError(`Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
