import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  required,
} from '@pintle/machinery/errors';
import {
  dns1123SubdomainName,
  rangeMessage,
  validateAnnotations,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelKey,
  validateLabels,
} from '@pintle/machinery/names';
import type { PodSchedulingGate, PodSpec, PodTemplateSpec } from '../../../../generated/core/v1.ts';
import { checkChoice, eachItem, optionalMatching, problems } from '../../checks.ts';
import { containersWithPath } from '../containers.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers/containers.ts';
import { validateContainerResources, validatePodResources } from './containers/resources.ts';
import { type PodSpecContext, templateContext } from './context.ts';
import { validateDnsConfig, validateHostAliases, validateHostnameOverride } from './dns.ts';
import { claimNamesOf, validateResourceClaims } from './resource-claims.ts';
import { validateAffinity } from './scheduling/affinity.ts';
import { validateTolerations } from './scheduling/tolerations.ts';
import { validateTopologySpread } from './scheduling/topology-spread.ts';
import { validatePodAnnotations, validateProfilesAgree } from './security/annotations.ts';
import { validateOperatingSystem } from './security/operating-system.ts';
import { validateHostUsers, validatePodSecurityContext } from './security/security-context.ts';
import { validateHostProcess } from './security/windows-options.ts';
import { validateVolumes } from './volumes/volumes.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const maxInt32 = 2 ** 31 - 1;

/** Checks everything that Pods and pod templates have in common, in the order in which Kubernetes reports it. */
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
    ...checkChoice(path.child('restartPolicy'), spec.restartPolicy, restartPolicies),
    ...checkChoice(path.child('dnsPolicy'), spec.dnsPolicy, dnsPolicies),
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
      : problems(
          path.child('runtimeClassName'),
          spec.runtimeClassName,
          validateDns1123Subdomain(spec.runtimeClassName),
        )),
    ...(spec.preemptionPolicy === undefined
      ? []
      : checkChoice(path.child('preemptionPolicy'), spec.preemptionPolicy, preemptionPolicies)),
  ];
}

/** With host networking a container port must equal its host port. Templates may leave that to the Pod's defaults. */
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

/** Environment variables can be read from files in an emptyDir volume that another container writes. */
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

/** Checks a pod template. Reports errors about labels without `metadata` in their path. */
export function validatePodTemplate(template: PodTemplateSpec | undefined, path: FieldPath): FieldError[] {
  const { metadata = {}, spec = { containers: [] } } = template ?? {};
  return [
    ...validateLabels(metadata.labels, path.child('labels')),
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validatePodAnnotations(metadata.annotations, spec, path.child('annotations')),
    ...validatePodSpec(spec, templateContext, path.child('spec')),
    ...validateProfilesAgree(metadata, spec, path.child('spec')),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}
