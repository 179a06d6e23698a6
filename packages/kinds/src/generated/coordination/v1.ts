import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { MicroTime } from '../meta/v1.ts';

/** A claim for a limited time, which its holder renews. Leader elections and the heartbeats of nodes use it. */
export interface Lease extends KubernetesObject {
  /** Who holds the lease, and for how long. */
  spec?: LeaseSpec;
}
export const Lease: ResourceType<Lease, 'Namespaced'> = /* @__PURE__ */ resourceType<Lease, 'Namespaced'>({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', scope: 'Namespaced' });

/** A list of Leases. */
export type LeaseList = KubernetesList<Lease>;

/** Who holds a lease, and for how long. */
export interface LeaseSpec {
  /** When the present holder got the lease. */
  acquireTime?: MicroTime;
  /** The name of the present holder. With a coordinated election it is the name of a candidate. */
  holderIdentity?: string;
  /** After how many seconds without renewal others may take the lease, above 0. They count from `renewTime`. */
  leaseDurationSeconds?: number;
  /** How often the lease went from one holder to another. */
  leaseTransitions?: number;
  /**
   * The candidate that should get the lease next, so that the present holder releases it. It needs `strategy` and,
   * like it, a feature that is not enabled by default.
   */
  preferredHolder?: string;
  /** When the present holder last renewed the lease. */
  renewTime?: MicroTime;
  /**
   * How the holder is chosen in a coordinated election, either `OldestEmulationVersion` or a qualified name. It needs
   * a feature that is not enabled by default; without it, the election is not coordinated.
   */
  strategy?: string;
}
