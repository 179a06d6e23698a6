import { duplicate, type FieldError, FieldPath, forbidden, internal, invalid } from '@pintle/machinery/errors';
import {
  dns1123SubdomainName,
  ipFamilyOf,
  parseIp,
  validateGroupId,
  validateLabelKey,
  validateLegacyIp,
  validateUserId,
  warningsForIp,
} from '@pintle/machinery/names';
import type { SubresourceRules } from '@pintle/machinery/rules';
import type {
  Container,
  ContainerRestartRule,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
} from '../../../generated/core/v1.ts';
import { checkUnchanged, eachItem, problems } from '../../common/checks.ts';
import { firstByName } from '../../common/lists.ts';
import { keep } from '../../common/object-fields.ts';
import { validatePodAnnotationsUpdate } from '../../common/pod/validation/security/annotations.ts';
import { validateAllocations, validateExtendedClaimStatus } from './device-status.ts';

const statusPath = FieldPath.of('status');
const ownConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** The status that a node reports of a Pod. */
export const statusRules: SubresourceRules<Pod> = {
  prepareForUpdate(next, previous) {
    keep(next, previous, 'spec');
    keep(next.metadata, previous.metadata, 'ownerReferences');
    keep(next.metadata, previous.metadata, 'deletionTimestamp');
    next.status ??= {};
    // Belongs to a feature that Kubernetes 1.36 disables by default.
    delete next.status.nodeAllocatableResourceClaimStatuses;
    if (!next.status.qosClass) keep(next.status, previous.status ?? {}, 'qosClass');
    keepObservedGenerations(next.status, previous.status ?? {});
  },
  validateUpdate: (next, previous) => [
    ...validatePodAnnotationsUpdate(
      next.metadata.annotations,
      previous.metadata.annotations,
      FieldPath.of('metadata', 'annotations'),
    ),
    ...validateStatus(next.status ?? {}, previous),
  ],
  warnings: ({ status }) => [
    ...(status?.podIPs ?? []).flatMap(({ ip }, index) =>
      warningsForIp(ip, statusPath.child('podIPs').index(index).child('ip')),
    ),
    ...(status?.hostIPs ?? []).flatMap(({ ip }, index) =>
      warningsForIp(ip, statusPath.child('hostIPs').index(index).child('ip')),
    ),
  ],
};

/** Restores the field for clients that do not know it. */
function keepObservedGenerations(next: PodStatus, previous: PodStatus): void {
  if (!next.observedGeneration) keep(next, previous, 'observedGeneration');
  // Of several conditions of a type each is used once, in their order.
  const remembered = new Map<string, PodCondition[]>();
  for (const old of (previous.conditions ?? []).toReversed()) {
    const others = remembered.get(old.type);
    if (others === undefined) remembered.set(old.type, [old]);
    else others.push(old);
  }
  for (const condition of next.conditions ?? []) {
    const old = remembered.get(condition.type)?.pop();
    if (!condition.observedGeneration && old?.observedGeneration) condition.observedGeneration = old.observedGeneration;
  }
}

function validateStatus(status: PodStatus, previous: Pod): FieldError[] {
  const before = previous.status ?? {};
  const spec = previous.spec ?? { containers: [] };
  return [
    ...eachItem(status.conditions, statusPath.child('conditions'), validateCondition),
    ...validateNomination(status.nominatedNodeName ?? '', before.nominatedNodeName ?? '', spec),
    ...((status.observedGeneration ?? 0) < 0
      ? [invalid(statusPath.child('observedGeneration'), status.observedGeneration, 'must be a non-negative integer')]
      : []),
    ...checkUnchanged(statusPath.child('qosClass'), status.qosClass ?? '', before.qosClass ?? ''),
    ...validateTransitions(status, before, spec),
    ...validateClaimStatuses(status, spec),
    ...validateExtendedClaimStatus(status.extendedResourceClaimStatus, spec),
    ...validateAddresses(status, before, 'podIPs'),
    ...validateHostAddress(status),
    ...validateAddresses(status, before, 'hostIPs'),
    ...validateUsers(status, spec),
    ...validateAllocations(status, spec),
  ];
}

function validateCondition({ type, observedGeneration = 0 }: PodCondition, path: FieldPath): FieldError[] {
  const errors =
    observedGeneration < 0
      ? [invalid(path.child('observedGeneration'), observedGeneration, 'must be a non-negative integer')]
      : [];
  return ownConditions.has(type) ? errors : [...errors, ...validateLabelKey(type ?? '', path.child('Type'))];
}

function validateNomination(name: string, before: string, { nodeName }: PodSpec): FieldError[] {
  if (name === before || name === '') return [];
  const path = statusPath.child('nominatedNodeName');
  const errors = problems(path, name, dns1123SubdomainName(name, false));
  if (nodeName) errors.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
  return errors;
}

/** A container that has terminated stays so, unless it is to be restarted. */
function validateTransitions(next: PodStatus, previous: PodStatus, spec: PodSpec): FieldError[] {
  const containers = firstByName([...(spec.containers ?? []), ...(spec.initContainers ?? [])]);
  const restartable = (name: string, exitCode: number): boolean => {
    const container = containers.get(name);
    return container !== undefined && shouldRestart(container, spec, exitCode);
  };
  const never = () => false;
  const lists = canRestartTogether(spec) ? [] : (['containerStatuses', 'initContainerStatuses'] as const);
  return [
    ...lists.flatMap((list) => validateEnded(next[list], previous[list], statusPath.child(list), restartable)),
    ...validateEnded(
      next.ephemeralContainerStatuses,
      previous.ephemeralContainerStatuses,
      statusPath.child('ephemeralContainerStatuses'),
      never,
    ),
  ];
}

function validateEnded(
  next: readonly ContainerStatus[] = [],
  previous: readonly ContainerStatus[] | undefined,
  path: FieldPath,
  mayRestart: (name: string, exitCode: number) => boolean,
): FieldError[] {
  const present = firstByName(next);
  return eachItem(previous, path, ({ name, state }, at) => {
    const now = present.get(name);
    if (state?.terminated === undefined || now === undefined || now.state?.terminated !== undefined) return [];
    if (mayRestart(name, state.terminated.exitCode ?? 0)) return [];
    return [forbidden(at.child('state'), 'may not be transitioned to non-terminated state')];
  });
}

function validateClaimStatuses({ resourceClaimStatuses }: PodStatus, { resourceClaims = [] }: PodSpec): FieldError[] {
  const declared = new Set(resourceClaims.map(({ name }) => name));
  const seen = new Set<string>();
  return eachItem(
    resourceClaimStatuses,
    statusPath.child('resourceClaimStatuses'),
    ({ name, resourceClaimName }, at) => {
      const errors = declared.has(name)
        ? []
        : [invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')];
      if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
      seen.add(name);
      if (resourceClaimName === undefined) return errors;
      const messages = dns1123SubdomainName(resourceClaimName, false);
      return [...errors, ...problems(at.child('resourceClaimName'), resourceClaimName, messages)];
    },
  );
}

function validateUsers(status: PodStatus, { os }: PodSpec): FieldError[] {
  return (['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const).flatMap((list) =>
    eachItem(status[list], statusPath.child(list), ({ user }, at) => {
      const path = at.child('user', 'linux');
      if (user?.linux === undefined) return [];
      if (os?.name === 'windows') return [forbidden(path, 'cannot be set for a windows pod')];
      const { uid = 0, gid = 0, supplementalGroups } = user.linux;
      return [
        ...problems(path.child('uid'), uid, validateUserId(uid)),
        ...problems(path.child('gid'), gid, validateGroupId(gid)),
        ...eachItem(supplementalGroups, path.child('supplementalGroups'), (group, groupPath) =>
          problems(groupPath, group, validateGroupId(group)),
        ),
      ];
    }),
  );
}

function validateAddresses(next: PodStatus, previous: PodStatus, list: 'podIPs' | 'hostIPs'): FieldError[] {
  const path = statusPath.child(list);
  const known = new Set((previous[list] ?? []).map(({ ip }) => ip));
  const addresses = (next[list] ?? []).map(({ ip }) => ip ?? '');
  const errors = eachItem(addresses, path, (address, at) => (known.has(address) ? [] : validateLegacyIp(address, at)));
  const shown = addresses.map((IP) => ({ IP }));
  const unreadable = addresses.findIndex((address) => parseIp(address) === undefined);
  if (addresses.length > 1 && unreadable !== -1)
    errors.push(
      internal(path, `failed to check for dual stack with error:invalid IP[${unreadable}]: ${addresses[unreadable]}`),
    );
  if (addresses.length > 1 && !isDualStack(addresses))
    errors.push(invalid(path, shown, 'may specify no more than one IP for each IP family'));
  return errors;
}

function isDualStack(addresses: readonly string[]): boolean {
  const families = addresses.map((address) => {
    const parsed = parseIp(address);
    return parsed && ipFamilyOf(parsed);
  });
  return addresses.length === 2 && families.includes(4) && families.includes(6);
}

function validateHostAddress({ hostIP = '', hostIPs = [] }: PodStatus): FieldError[] {
  const first = hostIPs[0]?.ip;
  if (first === undefined || first === hostIP) return [];
  return [invalid(statusPath.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`')];
}

/**
 * True when a container that exited with `exitCode` is restarted. Its own rules come before its policy, that before the
 * Pod's.
 */
function shouldRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  if ((container.restartPolicyRules ?? []).some((rule) => matches(rule, exitCode))) return true;
  switch (container.restartPolicy ?? spec.restartPolicy) {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return false;
  }
}

/** True when the exit of one container can restart all of them. */
function canRestartTogether(spec: PodSpec): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

function matches({ action, exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (action !== 'Restart' || exitCodes === undefined) return false;
  const isListed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
}
