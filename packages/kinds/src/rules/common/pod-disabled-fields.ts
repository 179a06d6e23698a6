import type { PodSpec, PodTemplateSpec } from '../../generated/core/v1.ts';

/** Fields of features that Kubernetes 1.36 has but does not switch on: it drops them from what is written. */
export function dropDisabledPodFields(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  delete spec.schedulingGroup;
  for (const { lifecycle } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
    if (lifecycle) delete lifecycle.stopSignal;
  for (const { projected } of spec.volumes ?? [])
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
}

export function dropDisabledTemplateFields(template: PodTemplateSpec | undefined): void {
  dropDisabledPodFields(template?.spec);
}
