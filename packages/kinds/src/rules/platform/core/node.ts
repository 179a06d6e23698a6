import { duplicate, FieldPath, forbidden, internal, invalid, quote } from '@pintle/machinery/errors';
import { compareUtf8, deepCopy } from '@pintle/machinery/json';
import {
  byteLength,
  ipFamilyOf,
  parseCidr,
  validateLabelKey,
  validateLabelValue,
  validateLegacyCidr,
  warningsForCidr,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Node, Taint } from '../../../generated/core/v1.ts';
import { type Check, checkChoice, collect, positive, sortedEntries } from '../../common/checks.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';
import { checkQuantityOf, roundUpAmounts } from '../../common/quantities.ts';

const rangesPath = FieldPath.of('spec', 'podCIDRs');

export const nodeRules: ResourceRules<Node> = {
  default: defaultNode,
  prepareForCreate: (node) => {
    delete node.spec?.configSource;
    delete node.status?.config;
  },
  prepareForUpdate: (next, previous) => {
    keepStatus(next, previous);
    if (previous.spec?.configSource === undefined) delete next.spec?.configSource;
  },
  validate: (node) => collect(checkNode(node)),
  validateUpdate: (next, previous) => ['create', ...checkNode(next), 'update', ...checkChange(next, previous)],
  warnings: nodeWarnings,
  subresources: {
    status: {
      prepareForUpdate: (next, previous) => {
        keepAllButStatus(next, previous);
        if (previous.status?.config === undefined) delete next.status?.config;
      },
      validateUpdate: (next, previous) => collect(checkChange(next, previous)),
    },
  },
  selectableFields: ({ spec }) => ({ 'spec.unschedulable': String(spec?.unschedulable ?? false) }),
  printer: {
    columns: [
      nameColumn,
      column('Status'),
      column('Roles'),
      ageColumn,
      column('Version'),
      wideColumn('Internal-IP'),
      wideColumn('External-IP'),
      wideColumn('OS-Image'),
      wideColumn('Kernel-Version'),
      wideColumn('Container-Runtime'),
    ],
    row: (node, context) => {
      const { nodeInfo: info } = node.status ?? {};
      const architecture = info?.architecture ? ` (${info.architecture})` : '';
      return [
        nameOf(node),
        formatStatus(node),
        formatRoles(node),
        age(node, context),
        info?.kubeletVersion ?? '',
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        info?.osImage || '<unknown>',
        (info?.kernelVersion || '<unknown>') + architecture,
        info?.containerRuntimeVersion || '<unknown>',
      ];
    },
  },
};

/** `podCIDR` is the first of `podCIDRs`; allocatable resources default to the capacity. */
function defaultNode({ spec, status }: Node): void {
  if (spec?.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  if (spec?.podCIDRs?.length) spec.podCIDR = spec.podCIDRs[0]!;
  if (status?.capacity !== undefined && status.allocatable === undefined)
    status.allocatable = deepCopy(status.capacity);
  for (const amounts of [status?.capacity, status?.allocatable]) roundUpAmounts(amounts);
}

function* checkNode(node: Node): Check {
  yield* checkTaints(node.spec?.taints ?? []);
  yield* checkResources(node);
  yield* checkSwap(node);
  yield* checkDeclaredFeatures(node);
  yield* checkPodRanges(node);
}

/** Kubernetes reports taints under `metadata`, where they once were an annotation. */
function* checkTaints(taints: readonly Taint[]): Check {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const path = FieldPath.of('metadata', 'taints').index(index);
    const { key, value = '', effect, timeAdded = null } = taint;
    yield* validateLabelKey(key, path.child('key'));
    const wrong = validateLabelValue(value);
    if (wrong.length > 0) yield invalid(path.child('value'), value, wrong.join(';'));
    yield* checkChoice(path.child('effect'), effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
    const identity = `${effect}/${key}`;
    if (seen.has(identity))
      yield duplicate(
        path,
        { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded },
        'taints must be unique by key and effect pair',
      );
    seen.add(identity);
  }
}

function* checkResources({ status }: Node): Check {
  for (const field of ['capacity', 'allocatable'] as const)
    for (const [name, quantity] of sortedEntries(status?.[field]))
      yield* checkQuantityOf(name, quantity, FieldPath.of('status', field, name));
}

/** Only a creation is checked. Kubernetes reports the swap under `metadata`. */
function* checkSwap({ status }: Node): Check {
  const capacity = status?.nodeInfo?.swap?.capacity;
  if (capacity !== undefined) yield* positive(capacity, FieldPath.of('metadata', 'nodeSwapStatus', 'capacity'));
}

const featureNameMaxBytes = 253;
const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** Checks the features that the kubelet declares: sorted names without duplicates. */
function* checkDeclaredFeatures({ status }: Node): Check {
  const features = status?.declaredFeatures ?? [];
  for (const [index, feature] of features.entries()) {
    const path = FieldPath.of('status', 'declaredFeatures').index(index);
    const previous = features[index - 1];
    if (previous === feature) yield duplicate(path, feature);
    else if (previous !== undefined && compareUtf8(previous, feature) > 0)
      yield invalid(path, feature, 'list must be sorted alphabetically');
    yield* checkFeatureName(feature, path);
  }
}

function* checkFeatureName(feature: string, path: FieldPath): Check {
  const refused = `invalid feature name ${quote(feature)}: `;
  if (byteLength(feature) > featureNameMaxBytes)
    yield invalid(path, feature, `${refused}must be no more than ${featureNameMaxBytes} characters`);
  else if (!featureName.test(feature))
    yield invalid(
      path,
      feature,
      `${refused}must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
    );
}

function* checkPodRanges({ spec }: Node): Check {
  const ranges = spec?.podCIDRs ?? [];
  for (const [index, range] of ranges.entries()) yield* validateLegacyCidr(range, rangesPath.index(index));
  const unread = ranges.length > 1 ? ranges.findIndex((range) => familyOfRange(range) === undefined) : -1;
  if (unread >= 0) {
    const why = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${ranges[unread]})`;
    yield internal(rangesPath, `invalid PodCIDRs. failed to check with dual stack with error:${why}`);
  }
  const families = new Set(unread >= 0 ? [] : ranges.map(familyOfRange));
  if (ranges.length > 2 || (ranges.length === 2 && families.size !== 2))
    yield invalid(rangesPath, ranges, 'may specify no more than one CIDR for each IP family');
}

function familyOfRange(range: string): number | undefined {
  const cidr = parseCidr(range);
  return cidr === undefined ? undefined : ipFamilyOf(cidr.address);
}

/** The pod CIDRs and the provider ID of a node can be set once. */
function* checkChange(next: Node, previous: Node): Check {
  yield* checkResources(next);
  yield* checkDeclaredFeatures(next);
  yield* checkAddresses(next);
  yield* checkSameRanges(next.spec?.podCIDRs ?? [], previous.spec?.podCIDRs ?? []);
  const provider = previous.spec?.providerID;
  if (provider && provider !== next.spec?.providerID)
    yield forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid');
  yield* checkTaints(next.spec?.taints ?? []);
  if ((next.spec?.externalID ?? '') !== (previous.spec?.externalID ?? ''))
    yield forbidden('spec.externalID', 'may not be updated');
}

/** Reports one error for every range that differs. */
function* checkSameRanges(next: readonly string[], previous: readonly string[]): Check {
  if (previous.length === 0) return;
  const changed = next.length === previous.length ? next.filter((range, index) => range !== previous[index]) : [''];
  for (const _ of changed) yield forbidden(rangesPath, 'node updates may not change podCIDR except from "" to valid');
}

function* checkAddresses({ status }: Node): Check {
  const seen = new Set<string>();
  for (const [index, { type, address }] of (status?.addresses ?? []).entries()) {
    if (seen.has(`${type}/${address}`))
      yield duplicate(FieldPath.of('status', 'addresses').index(index), { Type: type, Address: address });
    seen.add(`${type}/${address}`);
  }
}

function nodeWarnings({ spec }: Node): readonly string[] {
  const warnings: string[] = [];
  if (spec?.configSource !== undefined) warnings.push('spec.configSource: the feature is removed');
  if (spec?.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  (spec?.podCIDRs ?? []).forEach((range, index) => {
    warnings.push(...warningsForCidr(range, rangesPath.index(index)));
  });
  return warnings;
}

function formatStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

const rolePrefix = 'node-role.kubernetes.io/';

function formatRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length) || [];
    return key === 'kubernetes.io/role' && value !== '' ? value : [];
  });
  return [...new Set(roles)].sort(compareUtf8).join(',') || '<none>';
}

function addressOf({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
}
