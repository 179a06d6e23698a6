const FIRST_MS = 10_000;
const MOST_MS = 300_000;

/** How long a container waits for its next start when it has been started again so often: the first time not at all. */
export function restartBackoffMs(restarts: number): number {
  return restarts === 0 ? 0 : Math.min(FIRST_MS * 2 ** Math.min(restarts - 1, 10), MOST_MS);
}

/** Whether a pod's policy has a container started again that ended so. */
export function isRestarted(policy: string | undefined, exitCode: number): boolean {
  return policy === undefined || policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
