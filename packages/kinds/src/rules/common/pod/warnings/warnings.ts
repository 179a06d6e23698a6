import type { ObjectMeta } from '@pintle/machinery';
import { FieldPath, quote } from '@pintle/machinery/errors';
import { validateDns1123Label, validateLabelValue, warningsForIp } from '@pintle/machinery/names';
import { table } from '@pintle/machinery/table';
import type {
  Container,
  EphemeralContainer,
  NodeSelectorTerm,
  PersistentVolumeClaimSpec,
  PodAffinity,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '../../../../generated/core/v1.ts';
import type { Quantity } from '../../../../generated/meta/v1.ts';
import { sortedEntries } from '../../checks.ts';
import { deprecatedNodeLabels, nodeLabelWarnings, nodeTermWarnings } from '../../node-selector.ts';
import { formatQuantityValue, isWholeNumber } from '../../quantities.ts';
import { appArmorWarnings } from '../app-armor.ts';
import { type ContainerAt, containersWithPath } from '../containers.ts';
import { overlappingPathWarnings } from './paths.ts';
import { portWarnings } from './ports.ts';

const deprecatedAnnotations: Readonly<Record<string, string>> = table({
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
});

const deprecatedVolumes: readonly (readonly [name: keyof Volume, shown: string, message: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

/** Returns warnings about a Pod: valid fields that are probably not what the author wants. */
export function podWarnings(spec: PodSpec, metadata: ObjectMeta): string[] {
  const path = FieldPath.of('spec');
  const annotations = FieldPath.of('metadata', 'annotations');
  return [
    ...appArmorWarnings(metadata, spec, annotations, { isPod: true }),
    ...specWarnings(spec, metadata, path, FieldPath.of('metadata')),
  ];
}

/** As `podWarnings`, for a pod template. */
export function podTemplateWarnings(template: PodTemplateSpec | undefined, path: FieldPath): string[] {
  const { spec, metadata = {} } = template ?? {};
  if (spec === undefined) return [];
  return [
    ...specWarnings(spec, metadata, path.child('spec'), path.child('metadata')),
    ...appArmorWarnings(metadata, spec, path.child('metadata', 'annotations'), {
      isPod: false,
    }),
  ];
}

/** Names of Pods become host names. */
export function hostnameWarnings(name: string | undefined, use: string): string[] {
  const problems = validateDns1123Label(name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

export function claimWarnings({ resources }: PersistentVolumeClaimSpec, path: FieldPath): string[] {
  return (['requests', 'limits'] as const).flatMap((what) =>
    fractionWarnings(resources?.[what], 'storage', path.child('resources', what)),
  );
}

function specWarnings(spec: PodSpec, metadata: ObjectMeta, path: FieldPath, metadataPath: FieldPath): string[] {
  const annotations = metadataPath.child('annotations');
  const containers = containersWithPath(spec, path);
  return [
    ...placementWarnings(spec, path),
    ...sortedDeprecated(metadata, annotations),
    ...(spec.volumes ?? []).flatMap((volume, index) => volumeWarnings(volume, path.child('volumes').index(index))),
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...duplicateWarnings(
      spec.hostAliases?.map(({ ip }) => ip),
      'ip',
      path.child('hostAliases'),
    ),
    ...pullSecretWarnings(spec, path.child('imagePullSecrets')),
    ...fractionWarnings(spec.overhead, 'memory', path.child('overhead')),
    ...fractionWarnings(spec.overhead, 'ephemeral-storage', path.child('overhead')),
    ...seccompPodWarnings(spec, metadata, annotations),
    ...containers.flatMap((at) => containerWarnings(at, metadata, annotations)),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${path.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...nullSelectorWarnings(spec.affinity?.podAffinity, path.child('affinity', 'podAffinity')),
    ...nullSelectorWarnings(spec.affinity?.podAntiAffinity, path.child('affinity', 'podAntiAffinity')),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, index) =>
      warningsForIp(server, path.child('dnsConfig', 'nameservers').index(index)),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) =>
      warningsForIp(ip, path.child('hostAliases').index(index).child('ip')),
    ),
  ];
}

function placementWarnings(spec: PodSpec, path: FieldPath): string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const required = path.child(
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  const preferred = path.child('affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...sortedEntries(spec.nodeSelector).flatMap(([key]) =>
      key in deprecatedNodeLabels ? [`${path.child('nodeSelector').key(key)}: ${deprecatedNodeLabels[key]}`] : [],
    ),
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(term, required.index(index)),
    ),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ preference }, index) =>
      preferenceWarnings(preference, preferred.index(index).child('preference')),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const at = path.child('topologySpreadConstraints').index(index);
      return [
        ...nodeLabelWarnings(topologyKey, at.child('topologyKey')),
        ...(labelSelector === undefined ? [nullSelector(at.child('labelSelector'))] : []),
      ];
    }),
  ];
}

/** Preferences may have values that no node can have; such terms have no effect. */
function preferenceWarnings(term: NodeSelectorTerm, path: FieldPath): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, index) => {
    const at = path.child('matchExpressions').index(index);
    return [
      ...nodeLabelWarnings(key, at.child('key')),
      ...values.flatMap((value, position) =>
        validateLabelValue(value).map(
          (problem) => `${at.child('values').index(position)}: ${value} is invalid, ${problem}`,
        ),
      ),
    ];
  });
}

function sortedDeprecated({ annotations = {} }: ObjectMeta, path: FieldPath): string[] {
  return Object.entries(deprecatedAnnotations)
    .filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, message]) => `${path.key(key)}: ${message}`);
}

function volumeWarnings(volume: Volume, path: FieldPath): string[] {
  const claim = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...deprecatedVolumes
      .filter(([name]) => volume[name] !== undefined)
      .map(([, shown, message]) => `${path.child(shown)}: ${message}`),
    ...(claim ? claimWarnings(claim.spec, path.child('ephemeral', 'volumeClaimTemplate', 'spec')) : []),
  ];
}

function duplicateWarnings(
  values: readonly (string | undefined)[] | undefined,
  field: string,
  path: FieldPath,
): string[] {
  const seen = new Set<string>();
  return (values ?? []).flatMap((value = '', index) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated ? [`${path.index(index).child(field)}: duplicate ${field} ${quote(value)}`] : [];
  });
}

function pullSecretWarnings({ imagePullSecrets = [] }: PodSpec, path: FieldPath): string[] {
  return [
    ...duplicateWarnings(
      imagePullSecrets.map(({ name }) => name),
      'name',
      path,
    ),
    ...imagePullSecrets.flatMap(({ name }, index) =>
      name ? [] : [`${path.index(index).child('name')}: invalid empty name ""`],
    ),
  ];
}

function fractionWarnings(
  amounts: Readonly<Record<string, Quantity>> | undefined,
  name: string,
  path: FieldPath,
): string[] {
  const quantity = amounts?.[name];
  if (quantity === undefined || isWholeNumber(quantity)) return [];
  return [
    `${path.key(name)}: fractional byte value ${quote(formatQuantityValue(quantity))} is invalid, must be an integer`,
  ];
}

function seccompPodWarnings(spec: PodSpec, { annotations = {} }: ObjectMeta, path: FieldPath): string[] {
  if (spec.securityContext?.seccompProfile || !Object.hasOwn(annotations, seccompPodAnnotation)) return [];
  return [`${path.key(seccompPodAnnotation)}: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

function containerWarnings(
  { container, path }: ContainerAt,
  { annotations = {} }: ObjectMeta,
  annotationsPath: FieldPath,
): string[] {
  const seccomp = seccompContainerPrefix + container.name;
  const { limits, requests } = container.resources ?? {};
  return [
    ...(!container.securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp)
      ? [`${annotationsPath.key(seccomp)}: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : []),
    ...fractionWarnings(limits, 'memory', path.child('resources', 'limits')),
    ...fractionWarnings(requests, 'memory', path.child('resources', 'requests')),
    ...fractionWarnings(limits, 'ephemeral-storage', path.child('resources', 'limits')),
    ...fractionWarnings(requests, 'ephemeral-storage', path.child('resources', 'requests')),
    ...hiddenVariableWarnings(container, path.child('env')),
  ];
}

/** A variable may refer to its own earlier value; any other duplicate hides the earlier one. */
function hiddenVariableWarnings({ env = [] }: Container | EphemeralContainer, path: FieldPath): string[] {
  const seen = new Set<string>();
  const warnings: string[] = [];
  for (const [index, { name, value = '', valueFrom }] of env.entries()) {
    const isNew = !seen.has(name);
    seen.add(name);
    if (isNew) continue;
    const reference = `$(${name})`;
    const extendsEarlier = valueFrom === undefined && value !== reference && value.includes(reference);
    if (extendsEarlier) continue;
    const hides = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    warnings.push(`${path.index(index)}: ${hides}`);
  }
  return warnings;
}

function nullSelectorWarnings(affinity: PodAffinity | undefined, path: FieldPath): string[] {
  const required = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  const preferred = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined ? [nullSelector(required.index(index).child('labelSelector'))] : [],
    ),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm?.labelSelector === undefined
        ? [nullSelector(preferred.index(index).child('podAffinityTerm', 'labelSelector'))]
        : [],
    ),
  ];
}

function nullSelector(path: FieldPath): string {
  return `${path}: a null labelSelector results in matching no pod`;
}
