import type { ObjectMeta } from '@pintle/machinery';
import { FieldPath } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { AppArmorProfile, PodSpec } from '../../../generated/core/v1.ts';
import { containersWithPath } from './containers.ts';

export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

/**
 * Copies AppArmor annotations, which preceded the field, to the field of each container, unless the Pod sets a profile
 * for all.
 */
export function adoptAppArmorAnnotations({ annotations }: ObjectMeta, spec: PodSpec | undefined): void {
  if (annotations === undefined || spec === undefined || spec.os?.name === 'windows') return;
  for (const { container } of containersWithPath(spec, FieldPath.of('spec'))) {
    const profile = profileFromAnnotation(annotations[appArmorPrefix + container.name]);
    if (profile === undefined || container.securityContext?.appArmorProfile) continue;
    if (deepEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

/**
 * Warns about annotations that no field replaces yet, of the container or of the Pod; in a Pod, about those that were
 * copied to a field.
 */
export function appArmorWarnings(
  { annotations = {} }: ObjectMeta,
  spec: PodSpec,
  path: FieldPath,
  { isPod }: { readonly isPod: boolean },
): string[] {
  if (isPod && spec.os?.name === 'windows') return [];
  return containersWithPath(spec, path).flatMap(({ container }) => {
    const key = appArmorPrefix + container.name;
    if (!Object.hasOwn(annotations, key)) return [];
    const annotated = profileFromAnnotation(annotations[key]);
    const profile = container.securityContext?.appArmorProfile;
    if (profile === undefined && annotated !== undefined && deepEqual(annotated, spec.securityContext?.appArmorProfile))
      return [];
    const isReplaced = profile !== undefined && !(isPod && deepEqual(profile, annotated));
    return isReplaced ? [] : [`${path.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

function profileFromAnnotation(annotation: string | undefined): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const localhostProfile = annotation?.startsWith('localhost/') ? annotation.slice('localhost/'.length) : '';
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}
