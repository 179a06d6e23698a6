import { FieldPath } from '@pintle/machinery/errors';
import { compareUtf8 } from '@pintle/machinery/json';
import { dns1123LabelName, warningsForCidr, warningsForIp } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { LoadBalancerStatus, Service, ServicePort } from '../../../generated/core/v1.ts';
import { collect } from '../../common/checks.ts';
import { formatLabels } from '../../common/labels.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';
import {
  checkAddressChange,
  checkAddressFields,
  checkFamilies,
  fillIpFamilies,
  isHeadless,
  keepAllocations,
  normalizeClusterIps,
} from './service-addresses.ts';
import { defaultService, dropFieldsOfFormerType } from './service-types.ts';
import {
  checkHealthCheckPortChange,
  checkLoadBalancerClass,
  checkLoadBalancerStatus,
  checkService,
} from './service-validation.ts';

export const serviceRules: ResourceRules<Service> = {
  validateName: dns1123LabelName,
  createOnUpdate: true,
  returnsDeletedObject: true,
  default: defaultService,
  prepareForCreate: (service) => {
    service.status = { loadBalancer: {} };
    normalizeClusterIps(service, undefined);
    fillIpFamilies(service, undefined);
    dropUnusedPolicy(service);
  },
  prepareForUpdate: (next, previous) => {
    keepStatus(next, previous);
    keepAllocations(next, previous);
    normalizeClusterIps(next, previous);
    fillIpFamilies(next, previous);
    dropFieldsOfFormerType(next, previous);
    dropUnusedPolicy(next);
  },
  // Kubernetes validates addresses before it allocates them, and everything else afterwards.
  validateFirst: (next, previous) => {
    const fields = collect(checkAddressFields(next, previous));
    return fields.length > 0 ? fields : collect(checkFamilies(next, previous));
  },
  validate: (service) => collect(checkService(service, undefined)),
  validateUpdate: (next, previous) => [
    ...checkAddressChange(next, previous),
    ...checkLoadBalancerClass(next, previous),
    ...checkHealthCheckPortChange(next, previous),
    ...checkService(next, previous),
  ],
  warnings: serviceWarnings,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (next, previous) => collect(checkLoadBalancerStatus(next, previous)),
    },
  },
  selectableFields: ({ spec }) => ({ 'spec.clusterIP': spec?.clusterIP ?? '', 'spec.type': spec?.type ?? '' }),
  printer: {
    columns: [
      nameColumn,
      column('Type'),
      column('Cluster-IP'),
      column('External-IP'),
      column('Port(s)'),
      ageColumn,
      wideColumn('Selector'),
    ],
    row: (service, context) => [
      nameOf(service),
      service.spec?.type ?? '',
      service.spec?.clusterIPs?.[0] ?? '<none>',
      externalAddresses(service),
      (service.spec?.ports ?? []).map(formatPort).join(',') || '<none>',
      age(service, context),
      formatLabels(service.spec?.selector),
    ],
  },
};

/** An ExternalName service routes no traffic. Invalid policies are left for validation to report. */
function dropUnusedPolicy({ spec }: Service): void {
  const isKnown = spec?.internalTrafficPolicy === 'Cluster' || spec?.internalTrafficPolicy === 'Local';
  if (spec?.type === 'ExternalName' && isKnown) delete spec.internalTrafficPolicy;
}

function serviceWarnings({ metadata, spec = {} }: Service): readonly string[] {
  const warnings: string[] = [];
  const path = FieldPath.of('spec');
  const headless = isHeadless(spec);
  const { clusterIPs = [], externalIPs = [], loadBalancerIP, loadBalancerSourceRanges = [] } = spec;
  if (metadata.annotations?.[topologyHints] !== undefined)
    warnings.push(`annotation ${topologyHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (!headless)
    clusterIPs.forEach((ip, index) => {
      warnings.push(...warningsForIp(ip, path.child('clusterIPs').index(index)));
    });
  if (headless) {
    if (loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  externalIPs.forEach((ip, index) => {
    warnings.push(...warningsForIp(ip, path.child('externalIPs').index(index)));
  });
  if (externalIPs.length > 0 && !headless && spec.type !== 'ExternalName')
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (loadBalancerIP) warnings.push(...warningsForIp(loadBalancerIP, path.child('loadBalancerIP')));
  loadBalancerSourceRanges.forEach((range, index) => {
    warnings.push(...warningsForCidr(range, path.child('loadBalancerSourceRanges').index(index)));
  });
  if (spec.type === 'ExternalName' && externalIPs.length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

const topologyHints = 'service.kubernetes.io/topology-aware-hints';

function externalAddresses({ spec = {}, status }: Service): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer':
      return [...ingressAddresses(status?.loadBalancer), ...externalIPs].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** Returns the addresses of a load balancer, sorted and without duplicates. */
export function ingressAddresses(status: LoadBalancerStatus | undefined): string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter(Boolean);
  return [...new Set(addresses)].sort(compareUtf8);
}

function formatPort({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}
