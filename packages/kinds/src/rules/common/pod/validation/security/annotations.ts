import type { ObjectMeta } from '@pintle/machinery';
import { type FieldError, FieldPath, forbidden, invalid, quote } from '@pintle/machinery/errors';
import type { PodSpec } from '../../../../../generated/core/v1.ts';
import { sortedEntries } from '../../../checks.ts';
import { appArmorPrefix } from '../../app-armor.ts';
import { containersWithPath } from '../../containers.ts';
import { validateDescendingPath } from '../paths.ts';

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

type Annotations = Readonly<Record<string, string>>;

/** Checks the annotations of Pods that Kubernetes defines. */
export function validatePodAnnotations(annotations: Annotations = {}, spec: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...validateMirror(annotations, spec, path),
    ...validateDeletionCost(annotations, path),
    ...validateSeccomp(annotations, path),
    ...validateAppArmor(annotations, spec, path),
  ];
}

/** Refuses changes of annotations that are fixed at creation. */
export function validatePodAnnotationsUpdate(
  next: Annotations = {},
  previous: Annotations = {},
  path: FieldPath,
): FieldError[] {
  const changed = sortedEntries(previous).filter(([key, value]) => next[key] !== value);
  const added = sortedEntries(next).filter(([key]) => !Object.hasOwn(previous, key));
  return [
    ...changed.flatMap(([key]) => refuse(key, 'remove or update', path)),
    ...added.flatMap(([key]) => refuse(key, 'add', path)),
  ];
}

/** Annotations for seccomp and AppArmor must agree with the fields that replaced them. */
export function validateProfilesAgree({ annotations }: ObjectMeta, spec: PodSpec, path: FieldPath): FieldError[] {
  if (annotations === undefined) return [];
  const ofPod = spec.securityContext ?? {};
  const seccomp = annotations[seccompPodAnnotation];
  return [
    ...(seccomp === undefined ? [] : mismatch('seccomp', seccomp, ofPod.seccompProfile, path.child('securityContext'))),
    ...containersWithPath(spec, path).flatMap(({ container, path: at }) => {
      const annotation = annotations[seccompContainerPrefix + container.name];
      const profile = container.securityContext?.seccompProfile;
      return annotation === undefined ? [] : mismatch('seccomp', annotation, profile, at.child('securityContext'));
    }),
    ...(spec.os?.name === 'windows' ? [] : appArmorMismatches(annotations, spec, path)),
  ];
}

function validateMirror(annotations: Annotations, { nodeName }: PodSpec, path: FieldPath): FieldError[] {
  const value = annotations[mirrorAnnotation];
  if (value === undefined || nodeName) return [];
  return [invalid(path.key(mirrorAnnotation), value, 'must set spec.nodeName if mirror pod annotation is set')];
}

function validateDeletionCost(annotations: Annotations, path: FieldPath): FieldError[] {
  const cost = annotations[deletionCostAnnotation];
  if (cost === undefined || isInt32(cost)) return [];
  return [invalid(path.key(deletionCostAnnotation), cost, 'must be a 32bit integer')];
}

function isInt32(text: string): boolean {
  return /^(0|[1-9]\d*|-\d+)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function validateSeccomp(annotations: Annotations, path: FieldPath): FieldError[] {
  return sortedEntries(annotations)
    .filter(([key]) => key === seccompPodAnnotation || key.startsWith(seccompContainerPrefix))
    .flatMap(([key, profile]) => {
      if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
      if (profile.startsWith('localhost/'))
        return validateDescendingPath(profile.slice('localhost/'.length), path.child(key));
      return [invalid(path.child(key), profile, 'must be a valid seccomp profile')];
    });
}

function validateAppArmor(annotations: Annotations, spec: PodSpec, path: FieldPath): FieldError[] {
  const profiles = sortedEntries(annotations).filter(([key]) => key.startsWith(appArmorPrefix));
  if (profiles.length === 0) return [];
  const names = new Set(containersWithPath(spec, FieldPath.of('spec')).map(({ container }) => container.name));
  return profiles.flatMap(([key, profile]) => {
    const container = key.slice(appArmorPrefix.length);
    const errors = names.has(container) ? [] : [invalid(path.key(key), container, 'container not found')];
    if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/'))
      errors.push(invalid(path.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`));
    return errors;
  });
}

function refuse(key: string, action: string, path: FieldPath): FieldError[] {
  if (key.startsWith(appArmorPrefix)) return [forbidden(path.key(key), `may not ${action} AppArmor annotations`)];
  return key === mirrorAnnotation ? [forbidden(path.key(key), `may not ${action} mirror pod annotation`)] : [];
}

function appArmorMismatches(annotations: Annotations, spec: PodSpec, path: FieldPath): FieldError[] {
  return containersWithPath(spec, path).flatMap(({ container, path: at }) => {
    const annotation = annotations[appArmorPrefix + container.name];
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    return annotation === undefined ? [] : mismatch('apparmor', annotation, profile, at.child('securityContext'));
  });
}

function mismatch(
  what: 'seccomp' | 'apparmor',
  annotation: string,
  profile: { readonly type?: string; readonly localhostProfile?: string } | undefined,
  securityContext: FieldPath,
): FieldError[] {
  if (profile === undefined) return [];
  const path = securityContext.child(what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile');
  const isOtherType = {
    Unconfined: annotation !== 'unconfined',
    RuntimeDefault: annotation !== 'runtime/default' && !(what === 'seccomp' && annotation === 'docker/default'),
    Localhost: !annotation.startsWith('localhost/'),
  }[profile.type ?? ''];
  if (isOtherType) return [forbidden(path.child('type'), `${what} type in annotation and field must match`)];
  if (profile.type !== 'Localhost' || annotation === `localhost/${profile.localhostProfile}`) return [];
  return [forbidden(path.child('localhostProfile'), `${what} profile in annotation and field must match`)];
}
