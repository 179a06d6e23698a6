const FIRST_MS = 10_000;
const MAX_MS = 300_000;

/** Returns the delay before the next start of a container that was restarted so often; 0 for the first. */
export function restartBackoffMs(restarts: number): number {
  return restarts === 0 ? 0 : Math.min(FIRST_MS * 2 ** Math.min(restarts - 1, 10), MAX_MS);
}

/** True when the restart policy restarts a container with this exit code. */
export function isRestarted(policy: string | undefined, exitCode: number): boolean {
  return policy === undefined || policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
