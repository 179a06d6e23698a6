import type { Container, PodSpec, PodTemplateSpec } from '../../../generated/core/v1.ts';

/** Fields of features that Kubernetes 1.36 has but does not switch on: it drops them from what is written. */
export function dropDisabledPodFields(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  delete spec.schedulingGroup;
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ])
    dropStopSignal(container);
  for (const { projected } of spec.volumes ?? [])
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
}

/** A lifecycle that said nothing else goes with it. */
function dropStopSignal(container: Pick<Container, 'lifecycle'>): void {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
}

export function dropDisabledTemplateFields(template: PodTemplateSpec | undefined): void {
  dropDisabledPodFields(template?.spec);
}
