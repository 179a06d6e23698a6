import type { Container, PodSpec, PodTemplateSpec } from '../../../generated/core/v1.ts';

/** Drops fields of features that Kubernetes 1.36 disables by default. */
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

/** Drops a lifecycle that has no other fields too. */
function dropStopSignal(container: Pick<Container, 'lifecycle'>): void {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return;
  delete lifecycle.stopSignal;
  if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
}

export function dropDisabledTemplateFields(template: PodTemplateSpec | undefined): void {
  dropDisabledPodFields(template?.spec);
}
