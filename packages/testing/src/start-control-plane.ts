import { realClock } from '@pintle/async';
import type { ControlPlaneOptions } from './options.ts';
import type { ControlPlane } from './plane/control-plane.ts';

/**
 * Starts a control plane inside this process:
 *
 *     await using plane = await startControlPlane({ crds: [Fruit], clock: stepped() });
 *     await plane.client.create(Fruit, { metadata: { namespace: 'default', name: 'apple' }, spec: { weight: 120 } });
 *
 * It has a real API server on a store in memory, without a port. Any number of planes run side by side, isolated from each
 * other.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const startedMs = realClock.monotonic();
  // Loads the server late: it is large.
  const { ControlPlane } = await import('./plane/control-plane.ts');
  return await ControlPlane.start(options, startedMs);
}
