import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { MicroTime } from '../meta/v1.ts';

export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}
export const Lease: ResourceType<Lease, 'Namespaced'> = /* @__PURE__ */ resourceType<Lease, 'Namespaced'>({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', scope: 'Namespaced' });

export type LeaseList = KubernetesList<Lease>;

export interface LeaseSpec {
  acquireTime?: MicroTime;
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  preferredHolder?: string;
  renewTime?: MicroTime;
  strategy?: string;
}
