import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import { validateDns1123Subdomain } from '@pintle/machinery/names';
import type { PodSpec, WindowsSecurityContextOptions } from '../../../../../generated/core/v1.ts';
import { problems } from '../../../checks.ts';
import { containersWithPath } from '../../containers.ts';

const maxCredentialSpecBytes = 64 * 1024;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsDomain = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
): FieldError[] {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(specName === undefined
      ? []
      : problems(path.child('gmsaCredentialSpecName'), specName, validateDns1123Subdomain(specName))),
    ...(spec === undefined ? [] : problems(path.child('gmsaCredentialSpec'), spec, credentialSpecProblems(spec))),
    ...(user === undefined ? [] : problems(path.child('runAsUserName'), user, userNameProblems(user))),
  ];
}

/** Containers run as host processes all or none, and only with host networking. */
export function validateHostProcess(spec: PodSpec, path: FieldPath): FieldError[] {
  if (!mentionsWindows(spec)) return [];
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPath(spec, path);
  const errors = containers.flatMap(({ container, path: at }) => {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (own === undefined || ofPod === undefined || own === ofPod) return [];
    const place = at.child('securityContext', 'windowsOptions', 'hostProcess');
    return [invalid(place, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`)];
  });
  const count = containers.filter(
    ({ container }) => container.securityContext?.windowsOptions?.hostProcess ?? ofPod ?? false,
  ).length;
  if (count === 0) return errors;
  if (count !== containers.length)
    errors.push(
      invalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  if (!spec.hostNetwork)
    errors.push(
      invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'),
    );
  return errors;
}

function mentionsWindows({ securityContext, containers, initContainers, ephemeralContainers }: PodSpec): boolean {
  const isWindows = (part: { securityContext?: { windowsOptions?: object } }) => part.securityContext?.windowsOptions;
  return (
    securityContext?.windowsOptions !== undefined ||
    [containers, initContainers, ephemeralContainers].some((list) => (list ?? []).some(isWindows))
  );
}

function credentialSpecProblems(spec: string): string[] {
  if (spec === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return Buffer.byteLength(spec) > maxCredentialSpecBytes ? ['gmsaCredentialSpec size must be under 64 KiB'] : [];
}

function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if ([...name].some(isControl)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  return [...(parts.length === 2 ? domainProblems(parts[0]!) : []), ...userProblems(parts.at(-1)!)];
}

function domainProblems(domain: string): string[] {
  const problems = domain.length >= 256 ? ["runAsUserName's Domain length must be under 256 characters"] : [];
  if (!netBiosName.test(domain) && !dnsDomain.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return problems;
}

function userProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || code === 0x7f;
}
