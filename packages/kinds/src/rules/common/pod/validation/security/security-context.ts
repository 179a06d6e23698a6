import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '@pintle/machinery/errors';
import { byteLength, validateGroupId, validateUserId } from '@pintle/machinery/names';
import type {
  AppArmorProfile,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../../../generated/core/v1.ts';
import { checkOptionalChoice, eachItem, isEmpty, problems } from '../../../checks.ts';
import { containersWithPath } from '../../containers.ts';
import { validateDescendingPath } from '../paths.ts';
import { validateWindowsOptions } from './windows-options.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const maxProfileBytes = 4095;

/** Checks the security context of the Pod, which its containers inherit. */
export function validatePodSecurityContext(spec: PodSpec, path: FieldPath): FieldError[] {
  const context = spec.securityContext;
  if (context === undefined) return [];
  return [
    ...validateId(context.fsGroup, validateGroupId, path.child('fsGroup')),
    ...validateId(context.runAsUser, validateUserId, path.child('runAsUser')),
    ...validateId(context.runAsGroup, validateGroupId, path.child('runAsGroup')),
    ...eachItem(context.supplementalGroups, path.child('supplementalGroups'), (group, at) =>
      validateId(group, validateGroupId, at),
    ),
    ...(spec.hostPID && spec.shareProcessNamespace
      ? [invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : []),
    ...validateSysctls(context.sysctls, spec, path.child('sysctls')),
    ...checkOptionalChoice(path.child('fsGroupChangePolicy'), context.fsGroupChangePolicy, [
      'Always',
      'OnRootMismatch',
    ]),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
    ...checkOptionalChoice(path.child('supplementalGroupsPolicy'), context.supplementalGroupsPolicy, [
      'Merge',
      'Strict',
    ]),
    // The other policy, MountOption, belongs to a feature that Kubernetes 1.36 disables by default.
    ...checkOptionalChoice(path.child('seLinuxChangePolicy'), context.seLinuxChangePolicy, ['Recursive']),
  ];
}

/** Checks the security context of a container. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  if (context === undefined) return [];
  return [
    ...validateId(context.runAsUser, validateUserId, path.child('runAsUser')),
    ...validateId(context.runAsGroup, validateGroupId, path.child('runAsGroup')),
    ...validateProcMount(context.procMount, spec, path.child('procMount')),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
  ];
}

/** A Pod in its own user namespace must not share other namespaces with the host. */
export function validateHostUsers(spec: PodSpec, path: FieldPath): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const errors: FieldError[] = [];
  if (spec.hostNetwork) errors.push(forbidden(path.child('hostNetwork'), 'when `hostUsers` is false'));
  if (spec.hostPID) errors.push(forbidden(path.child('HostPID'), 'when `hostUsers` is false'));
  if (spec.hostIPC) errors.push(forbidden(path.child('HostIPC'), 'when `hostUsers` is false'));
  const withDevices = containersWithPath(spec, path).filter(
    ({ container }) => (container.volumeDevices ?? []).length > 0,
  );
  errors.push(...withDevices.map((at) => forbidden(at.path.child('volumeDevices'), 'when `hostUsers` is false')));
  return errors;
}

function validateId(id: number | undefined, rule: (id: number) => readonly string[], path: FieldPath): FieldError[] {
  return id === undefined ? [] : problems(path, id, rule(id));
}

function validateSysctls(sysctls: readonly Sysctl[] | undefined, spec: PodSpec, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return eachItem(sysctls, path, ({ name }, at) => {
    const errors = validateSysctlName(name, names, at.child('name'));
    names.add(name);
    return [...errors, ...validateHostSysctl(name, spec, at.child('name'))];
  });
}

const shownSysctlPattern = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

function validateSysctlName(name: string, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  if (isEmpty(name)) return [required(path)];
  if (name.length > 253 || !isSysctlName(name))
    return [invalid(path, name, `must have at most 253 characters and match regex ${shownSysctlPattern}`)];
  return names.has(name) ? [duplicate(path, name)] : [];
}

/** Matches segment by segment, because the whole pattern could backtrack for long. */
function isSysctlName(name: string): boolean {
  return name.split(/[./]/).every((segment) => /^[a-z0-9][-_a-z0-9]*$/.test(segment) && /[a-z0-9]$/.test(segment));
}

function validateHostSysctl(name: string, spec: PodSpec, path: FieldPath): FieldError[] {
  const dotted = name.replaceAll('/', '.');
  if (spec.hostNetwork && dotted.startsWith('net.'))
    return [invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  if (spec.hostIPC && isIpcSysctl(dotted)) return [invalid(path, name, "may not be specified when 'hostIPC' is true")];
  return [];
}

function isIpcSysctl(name: string): boolean {
  return name === 'kernel.sem' || ['kernel.shm', 'kernel.msg', 'fs.mqueue.'].some((prefix) => name.startsWith(prefix));
}

function validateSeccompProfile(profile: SeccompProfile | undefined, path: FieldPath): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const errors = isEmpty(type)
    ? [required(path.child('type'), 'type is required when seccompProfile is set')]
    : checkOptionalChoice(path.child('type'), type, profileTypes);
  const at = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (localhostProfile === undefined) return [...errors, required(at, 'must be set when seccomp type is Localhost')];
    return [...errors, ...validateDescendingPath(localhostProfile, at)];
  }
  if (localhostProfile !== undefined)
    errors.push(
      invalid(at, { Type: type, LocalhostProfile: localhostProfile }, 'can only be set when seccomp type is Localhost'),
    );
  return errors;
}

function validateAppArmorProfile(profile: AppArmorProfile | undefined, path: FieldPath): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  if (isEmpty(type)) return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupported(path.child('type'), type, profileTypes)];
  const at = path.child('localhostProfile');
  if (type === 'Localhost') return validateLocalhostProfile(localhostProfile, at);
  if (localhostProfile === undefined) return [];
  return [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

function validateLocalhostProfile(profile: string | undefined, path: FieldPath): FieldError[] {
  if (isEmpty(profile)) return [required(path, 'must be set when AppArmor type is Localhost')];
  const errors = profile === profile.trim() ? [] : [invalid(path, profile, 'must not be padded with whitespace')];
  if (byteLength(profile) > maxProfileBytes) errors.push(tooLong(path, maxProfileBytes));
  return errors;
}

function validateProcMount(procMount: string | undefined, spec: PodSpec, path: FieldPath): FieldError[] {
  if (procMount === 'Unmasked' && spec.hostUsers !== false)
    return [invalid(path, procMount, '`hostUsers` must be false to use `Unmasked`')];
  return checkOptionalChoice(path, procMount, ['Default', 'Unmasked']);
}

function validateEscalation(context: SecurityContext, path: FieldPath): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const errors: FieldError[] = [];
  if (context.privileged)
    errors.push(
      invalid(path, shownContext(context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
    );
  if (context.capabilities?.add?.includes('CAP_SYS_ADMIN'))
    errors.push(
      invalid(
        path,
        shownContext(context),
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ),
    );
  return errors;
}

/** Returns the internal type that Kubernetes prints here: every field, under its Go name. */
function shownContext(context: SecurityContext): object {
  const { capabilities, seLinuxOptions, seccompProfile, appArmorProfile } = context;
  return {
    Capabilities: capabilities ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null } : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions
      ? {
          User: seLinuxOptions.user ?? '',
          Role: seLinuxOptions.role ?? '',
          Type: seLinuxOptions.type ?? '',
          Level: seLinuxOptions.level ?? '',
        }
      : null,
    WindowsOptions: context.windowsOptions ?? null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile
      ? { Type: seccompProfile.type, LocalhostProfile: seccompProfile.localhostProfile ?? null }
      : null,
    AppArmorProfile: appArmorProfile
      ? { Type: appArmorProfile.type, LocalhostProfile: appArmorProfile.localhostProfile ?? null }
      : null,
  };
}
