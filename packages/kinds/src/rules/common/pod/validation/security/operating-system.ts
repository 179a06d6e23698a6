import { type FieldError, type FieldPath, forbidden, notSupported, required } from '@pintle/machinery/errors';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../../../../generated/core/v1.ts';
import { isEmpty } from '../../../checks.ts';
import { containersWithPath } from '../../containers.ts';

/** Fields that must be unset on Windows, in the order in which Kubernetes checks them. */
const ofLinuxPods: readonly (keyof PodSecurityContext | keyof PodSpec)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
const besideSecurityContext = new Set<string>(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);
const ofLinuxContainers: readonly (keyof SecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** A Pod with `spec.os` must not set fields of the other operating system. */
export function validateOperatingSystem(spec: PodSpec, path: FieldPath): FieldError[] {
  if (spec.os === undefined) return [];
  const name: string = spec.os.name ?? '';
  if (isEmpty(name)) return [required(path.child('os', 'name'))];
  if (name === 'linux') return validateLinux(spec, path);
  if (name === 'windows') return validateWindows(spec, path);
  return [notSupported(path.child('os'), name, ['linux', 'windows'])];
}

function validateLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const contexts = [
    { context: spec.securityContext, path: path.child('securityContext') },
    ...containersWithPath(spec, path).map(({ container, path: at }) => ({
      context: container.securityContext,
      path: at.child('securityContext'),
    })),
  ];
  return contexts
    .filter(({ context }) => context?.windowsOptions !== undefined)
    .map(({ path: at }) => forbidden(at.child('windowsOptions'), 'windows options cannot be set for a linux pod'));
}

function validateWindows(spec: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...ofLinuxPods.flatMap((name) => {
      const isBeside = besideSecurityContext.has(name);
      const value = isBeside ? spec[name as keyof PodSpec] : spec.securityContext?.[name as keyof PodSecurityContext];
      const at = isBeside ? path.child(name) : path.child('securityContext', name);
      return value === undefined ? [] : [forbidden(at, 'cannot be set for a windows pod')];
    }),
    ...containersWithPath(spec, path).flatMap(({ container, path: at }) =>
      ofLinuxContainers
        .filter((name) => container.securityContext?.[name] !== undefined)
        .map((name) => forbidden(at.child('securityContext', name), 'cannot be set for a windows pod')),
    ),
  ];
}
