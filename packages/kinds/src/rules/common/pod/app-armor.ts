import type { ObjectMeta } from '@pintle/machinery';
import { FieldPath } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { AppArmorProfile, PodSpec } from '../../../generated/core/v1.ts';
import { containersWithPath } from './containers.ts';

export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

/** What annotations said of AppArmor before there was a field for it is copied there, unless the Pod says so as a whole. */
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
 * For annotations that no field replaces yet, be it the container's or the Pod's; in a Pod that is one whose field was
 * copied from it.
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
    const told = profileFromAnnotation(annotations[key]);
    const profile = container.securityContext?.appArmorProfile;
    if (profile === undefined && told !== undefined && deepEqual(told, spec.securityContext?.appArmorProfile))
      return [];
    const isReplaced = profile !== undefined && !(isPod && deepEqual(profile, told));
    return isReplaced ? [] : [`${path.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

function profileFromAnnotation(annotation: string | undefined): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const localhostProfile = annotation?.startsWith('localhost/') ? annotation.slice('localhost/'.length) : '';
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}
