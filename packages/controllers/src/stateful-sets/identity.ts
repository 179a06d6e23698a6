import type { NewObject } from '@pintle/client';
import { StatefulSet } from '@pintle/kinds/apps/v1';
import type { Pod, PodTemplateSpec, Volume } from '@pintle/kinds/core/v1';
import { controllerRef } from '../common/owners.ts';
import { podFromTemplate } from '../common/pods.ts';

const REVISION = 'controller-revision-hash';
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

/** Returns the pod's ordinal; `undefined` when its name is not one of the set. */
export function ordinalOf({ metadata }: StatefulSet, pod: { readonly metadata: Pod['metadata'] }): number | undefined {
  const { name = '' } = pod.metadata;
  const digits = name.slice(name.lastIndexOf('-') + 1);
  const isOurs = name.slice(0, name.lastIndexOf('-')) === metadata.name && /^\d{1,10}$/.test(digits);
  return isOurs ? Number(digits) : undefined;
}

export function startOf({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

export function sizeOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + sizeOf(set);
}

/** Returns the pod with this ordinal, which determines its name, host name, labels and claims. */
export function statefulPod(
  set: StatefulSet,
  ordinal: number,
  template: PodTemplateSpec,
  revision: string,
): NewObject<Pod> {
  const pod = podFromTemplate(template, set, controllerRef(StatefulSet, set));
  const name = `${set.metadata.name}-${ordinal}`;
  const { serviceName } = set.spec ?? {};
  const spec = pod.spec ?? { containers: [] };
  const volumes = volumesOf(set, ordinal, spec.volumes ?? []);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name,
      labels: { ...pod.metadata.labels, ...identityLabels(name, ordinal), [REVISION]: revision },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

/** Returns the labels that are absent or wrong. */
export function missingIdentity(pod: Pod, ordinal: number): Record<string, string> | undefined {
  const { name = '', labels = {} } = pod.metadata;
  const wrong = Object.entries(identityLabels(name, ordinal)).filter(([key, value]) => labels[key] !== value);
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong);
}

export function claimName(template: string, set: StatefulSet, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[REVISION];
}

function identityLabels(name: string, ordinal: number): Record<string, string> {
  return { [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
}

/** Returns the volumes. Claims replace volumes of the same name. */
function volumesOf(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): Volume[] {
  const names = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? '');
  return [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: claimName(name, set, ordinal) } })),
    ...volumes.filter(({ name }) => !names.includes(name)),
  ];
}
