import type { ReconcileFailure } from './trial/trace.ts';

/** The scenario fails without any fault, so there is nothing to compare with. */
export class ExploreError extends Error {
  override readonly name = 'ExploreError';

  /** An operator that fails is the usual reason: failures has the last errors of its reconciles. */
  constructor(scenarioError: string, failures: ReadonlyMap<string, ReconcileFailure>) {
    const reasons = [...failures].map(([reconcile, { error }]) => `The reconcile of ${reconcile} fails: ${error}`);
    super([`Cannot explore: the scenario fails without faults: ${scenarioError}`, ...reasons].join('\n'));
  }
}
