import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '@pintle/machinery/errors';
import { byteLength, dns1123SubdomainName, validateDns1123Label } from '@pintle/machinery/names';
import type {
  Container,
  ContainerStatus,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../../generated/core/v1.ts';
import { eachItem, problems } from '../../common/checks.ts';
import { firstByName } from '../../common/lists.ts';

const statusPath = FieldPath.of('status');

/** Checks the claim made for extended resources of containers that devices provide. */
export function validateExtendedClaimStatus(
  status: PodExtendedResourceClaimStatus | undefined,
  spec: PodSpec,
): FieldError[] {
  if (status === undefined) return [];
  const path = statusPath.child('extendedResourceClaimStatus');
  const { requestMappings: mappings, resourceClaimName: name } = status;
  const seen = new Set<string>();
  const containers = firstByName([...(spec.containers ?? []), ...(spec.initContainers ?? [])]);
  return [
    ...((mappings ?? []).length > 0
      ? []
      : [required(path.child('requestMappings'), 'at least one request mapping is required')]),
    ...eachItem(mappings, path.child('requestMappings'), (mapping, at) => {
      const { containerName, resourceName, requestName } = mapping;
      const identity = JSON.stringify([containerName, resourceName, requestName]);
      const isRepeated = seen.has(identity);
      seen.add(identity);
      return [
        ...validateMappedResource(containerName, resourceName, containers.get(containerName), at),
        ...problems(path.child('requestName'), requestName, validateDns1123Label(requestName)),
        ...(isRepeated
          ? (['containerName', 'resourceName', 'requestName'] as const).map((field) =>
              duplicate(at.child(field), mapping[field]),
            )
          : []),
      ];
    }),
    ...(name
      ? problems(path.child('resourceClaimName'), name, dns1123SubdomainName(name, false))
      : [required(path.child('resourceClaimName'))]),
  ];
}

function validateMappedResource(
  containerName: string,
  resource: string,
  container: Container | undefined,
  at: FieldPath,
): FieldError[] {
  if (container === undefined)
    return [
      invalid(
        at.child('containerName'),
        containerName,
        'must match the name of an entry in spec.initContainers.name or spec.containers.name',
      ),
    ];
  if (Object.hasOwn(container.resources?.requests ?? {}, resource)) return [];
  const detail =
    'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
  return [invalid(at.child('resourceName'), resource, detail)];
}

/** Checks the health of the devices of containers. */
export function validateAllocations(status: PodStatus, spec: PodSpec): FieldError[] {
  return [
    ...validateHealth(status.containerStatuses, spec.containers ?? [], statusPath.child('containerStatuses')),
    ...validateHealth(
      status.initContainerStatuses,
      spec.initContainers ?? [],
      statusPath.child('initContainerStatuses'),
    ),
    ...eachItem(
      status.ephemeralContainerStatuses,
      statusPath.child('ephemeralContainerStatuses'),
      ({ allocatedResourcesStatus = [] }, at) =>
        allocatedResourcesStatus.length > 0
          ? [forbidden(at.child('allocatedResourcesStatus'), 'must not be specified in container status')]
          : [],
    ),
  ];
}

const messageMaxBytes = 1024;
const healths = ['Healthy', 'Unhealthy', 'Unknown'];

function validateHealth(
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[],
  path: FieldPath,
): FieldError[] {
  const byName = firstByName(containers);
  return eachItem(statuses, path, ({ name, allocatedResourcesStatus = [] }, at) => {
    const container = byName.get(name);
    const claims = allocatedResourcesStatus.length > 0 ? claimsOf(container) : new Set<string>();
    return eachItem(allocatedResourcesStatus, at.child('allocatedResourcesStatus'), (resource, resourcePath) => [
      ...(container === undefined ? [] : validateAskedFor(resource, container, claims, resourcePath.child('name'))),
      ...validateDevices(resource, resourcePath.child('resources')),
    ]);
  });
}

/** Returns the claims of a container, as the status of a resource names them. */
function claimsOf(container: Container | undefined): ReadonlySet<string> {
  return new Set(
    (container?.resources?.claims ?? []).map(({ name, request }) =>
      request ? `claim:${name}/${request}` : `claim:${name}`,
    ),
  );
}

function validateAskedFor(
  { name }: ResourceStatus,
  { resources }: Container,
  claims: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  if (!name.startsWith('claim:'))
    return Object.hasOwn(resources?.requests ?? {}, name)
      ? []
      : [invalid(path, name, "must match one of the container's resource requests")];
  const detail =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return claims.has(name) ? [] : [invalid(path, name, detail)];
}

function validateDevices({ resources }: ResourceStatus, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return eachItem(resources, path, ({ health = '', resourceID, message }, at) => {
    const isRepeated = seen.has(resourceID);
    seen.add(resourceID);
    return [
      ...(healths.includes(health) ? [] : [notSupported(at.child('health'), health, healths)]),
      ...validateMessage(message, at.child('message')),
      ...(isRepeated ? [duplicate(at.child('resourceID'), resourceID)] : []),
    ];
  });
}

function validateMessage(message: string | undefined, path: FieldPath): FieldError[] {
  if (message === undefined) return [];
  if (message === '') return [required(path, 'must be non-empty if specified')];
  return byteLength(message) > messageMaxBytes ? [tooLong(path, messageMaxBytes)] : [];
}
