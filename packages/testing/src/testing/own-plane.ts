import type { ControlPlaneOptions } from '../options.ts';
import type { ControlPlane } from '../plane/control-plane.ts';
import { startControlPlane } from '../start-control-plane.ts';

/**
 * A plane in this process, also where USE_EXISTING_CLUSTER or KUBEBUILDER_ASSETS would have it elsewhere. It is for tests
 * of what only such a plane can do: snapshots, webhooks without a port, users with a kubeconfig, runs that are alike to the
 * letter, time that passes for the server too, and operators that lay hands on objects they did not bring. All other tests
 * of this package run on any server.
 */
export function startOwnPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return startControlPlane({ ...options, env: {} });
}
