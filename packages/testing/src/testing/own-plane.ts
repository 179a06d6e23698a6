import type { ControlPlaneOptions } from '../options.ts';
import type { ControlPlane } from '../plane/control-plane.ts';
import { startControlPlane } from '../start-control-plane.ts';

/**
 * Starts a plane in this process whatever USE_EXISTING_CLUSTER and KUBEBUILDER_ASSETS are. It is for tests of features that
 * only such a plane has: snapshots, webhooks without a port, kubeconfigs of users, runs that are equal byte for byte, time
 * that passes for the server too, and operators that change objects of others. All other tests of this package run on any
 * server.
 */
export function startOwnPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return startControlPlane({ ...options, env: {} });
}
