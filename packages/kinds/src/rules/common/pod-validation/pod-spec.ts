import { duplicate, type FieldError, type FieldPath, invalid, notFound, required } from '@pintle/machinery/errors';
import {
  dns1123SubdomainName,
  rangeMessage,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelKey,
  validateLabels,
} from '@pintle/machinery/names';
import type { PodSchedulingGate, PodSpec } from '../../../generated/core/v1.ts';
import { containersWithPath } from '../pod-containers.ts';
import { validateAffinity } from './affinity.ts';
import { complaints, eachItem, oneOf, optionalMatching } from './checks.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts';
import type { PodSpecContext } from './context.ts';
import { validateDnsConfig, validateHostAliases, validateHostnameOverride } from './dns.ts';
import { validateOperatingSystem } from './operating-system.ts';
import { claimNamesOf, validateResourceClaims } from './resource-claims.ts';
import { validateContainerResources, validatePodResources } from './resources.ts';
import { validateHostUsers, validatePodSecurityContext } from './security-context.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpread } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcess } from './windows-options.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const maxInt32 = 2 ** 31 - 1;

/** Everything Pods and templates for Pods have in common, in the order in which Kubernetes reports it. */
export function validatePodSpec(spec: PodSpec, context: PodSpecContext, path: FieldPath): FieldError[] {
  const volumes = validateVolumes(spec.volumes, context, path.child('volumes'));
  const claimNames = claimNamesOf(spec.resourceClaims);
  const around = { spec, volumes: volumes.usable, claimNames };
  return [
    ...(spec.terminationGracePeriodSeconds === undefined
      ? [required(path.child('terminationGracePeriodSeconds'))]
      : []),
    ...volumes.errors,
    ...validateResourceClaims(spec.resourceClaims, context, path.child('resourceClaims')),
    ...validateContainers(around, path.child('containers')),
    ...validateInitContainers(around, path.child('initContainers')),
    ...validateEphemeralContainers(around, path.child('ephemeralContainers')),
    ...validatePodResources(spec, claimNames, path.child('resources')),
    ...validateHostNetworkPorts(spec, context, path.child('containers')),
    ...oneOf(spec.restartPolicy, restartPolicies, path.child('restartPolicy')),
    ...oneOf(spec.dnsPolicy, dnsPolicies, path.child('dnsPolicy')),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(spec, path.child('securityContext')),
    ...validateAffinity(spec.affinity, path.child('affinity')),
    ...validateDnsConfig(spec, path.child('dnsConfig')),
    ...eachItem(spec.readinessGates, path.child('readinessGates'), ({ conditionType }, at) =>
      validateLabelKey(conditionType ?? '', at.child('conditionType')),
    ),
    ...validateSchedulingGates(spec.schedulingGates, path.child('schedulingGates')),
    ...validateTopologySpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints')),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, path),
    ...validateHostnameOverride(spec, path.child('hostnameOverride')),
    ...validateScalars(spec, path),
    ...validateOverhead(spec, path.child('overhead')),
    ...validateOperatingSystem(spec, path),
    ...validateFileKeyVolumes(spec, path),
  ];
}

function validateScalars(spec: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...optionalMatching(spec.serviceAccountName, subdomain, path.child('serviceAccountName')),
    ...optionalMatching(spec.nodeName, subdomain, path.child('nodeName')),
    ...validateDeadline(spec.activeDeadlineSeconds, path.child('activeDeadlineSeconds')),
    ...optionalMatching(spec.hostname, validateDns1123Label, path.child('hostname')),
    ...optionalMatching(spec.subdomain, validateDns1123Label, path.child('subdomain')),
    ...validateTolerations(spec.tolerations, path.child('tolerations')),
    ...validateHostAliases(spec.hostAliases, path.child('hostAliases')),
    ...optionalMatching(spec.priorityClassName, subdomain, path.child('priorityClassName')),
    ...(spec.runtimeClassName === undefined
      ? []
      : complaints(
          path.child('runtimeClassName'),
          spec.runtimeClassName,
          validateDns1123Subdomain(spec.runtimeClassName),
        )),
    ...(spec.preemptionPolicy === undefined
      ? []
      : oneOf(spec.preemptionPolicy, preemptionPolicies, path.child('preemptionPolicy'))),
  ];
}

/** In the host's network a container's port is the host's. Templates may leave that to the Pod's defaults. */
function validateHostNetworkPorts(spec: PodSpec, { isPod }: PodSpecContext, path: FieldPath): FieldError[] {
  if (!spec.hostNetwork) return [];
  return eachItem(spec.containers, path, (container, at) =>
    eachItem(container.ports, at.child('ports'), ({ hostPort = 0, containerPort }, portPath) => {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) return [];
      return [invalid(portPath.child('hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateSchedulingGates(gates: readonly PodSchedulingGate[] | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return eachItem(gates, path, ({ name = '' }, at) => {
    const errors = validateLabelKey(name, at);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    return errors;
  });
}

function validateDeadline(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= maxInt32)) return [];
  return [invalid(path, seconds, rangeMessage(1, maxInt32))];
}

function validateOverhead({ overhead }: PodSpec, path: FieldPath): FieldError[] {
  return overhead === undefined ? [] : validateContainerResources({ limits: overhead }, new Set(), path);
}

/** Environment variables can be read from files of an empty directory that another container fills. */
function validateFileKeyVolumes(spec: PodSpec, path: FieldPath): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersWithPath(spec, path).flatMap(({ container, path: at }) =>
    eachItem(container.env, at.child('env'), ({ valueFrom }, envPath) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return [];
      const place = envPath.child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(name);
      if (volume === undefined) return [notFound(place, name)];
      return volume.emptyDir ? [] : [invalid(place, name, 'referenced volume must be of type emptyDir')];
    }),
  );
}

function subdomain(name: string): readonly string[] {
  return dns1123SubdomainName(name, false);
}
