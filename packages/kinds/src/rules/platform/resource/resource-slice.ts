import { FieldPath, invalid, quote, required } from '@pintle/machinery/errors';
import { validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules, WriteContext } from '@pintle/machinery/rules';
import { formatTime } from '@pintle/machinery/time';
import type { CounterSet, Device, ResourceSlice, ResourceSliceSpec } from '../../../generated/resource/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkCsiDriverName } from '../core/volume-sources.ts';
import { checkCounterSetName, checkCounters, checkDevice } from './device.ts';
import { checkPoolName, checkUniqueItems } from './device-names.ts';

const path = FieldPath.of('spec');
const max = { devices: 128, advancedDevices: 64, counterSets: 8, counters: 32 };

export const resourceSliceRules: ResourceRules<ResourceSlice> = {
  returnsDeletedObject: true,
  tracksGeneration: true,
  prepareForCreate: (slice, context) => {
    dropDisabled(slice);
    stampTaints(slice, context);
  },
  // Dropped fields still count as a change.
  prepareForUpdate: (next, previous, context) => {
    if (dropDisabled(next)) next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    stampTaints(next, context);
  },
  validate: ({ spec }) => collect(checkSlice(spec, undefined)),
  validateUpdate: (next, previous) => collect(checkSlice(next.spec, previous.spec)),
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`],
  selectableFields: ({ spec }) => ({ 'spec.nodeName': spec?.nodeName ?? '', 'spec.driver': spec?.driver ?? '' }),
  unsupportedField: (field, { apiVersion }) =>
    `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${field}`,
  printer: {
    columns: [nameColumn, column('Node'), column('Driver'), column('Pool'), ageColumn],
    row: (slice, context) => [
      nameOf(slice),
      slice.spec.nodeName ?? '',
      slice.spec.driver,
      slice.spec.pool.name,
      age(slice, context),
    ],
  },
};

/** Drops the fields of disabled features. Returns whether there were any. */
function dropDisabled({ spec }: ResourceSlice): boolean {
  const devices = spec.devices ?? [];
  const attributes = devices.flatMap((device) => Object.values(device.attributes ?? {}));
  const dropped = [
    ...devices.map((device) => drop(device, 'nodeAllocatableResourceMappings')),
    ...attributes.map((attribute) => drop(attribute, 'bools', 'ints', 'strings', 'versions')),
  ];
  return dropped.includes(true);
}

function drop<T extends object>(from: T, ...fields: (keyof T)[]): boolean {
  const present = fields.filter((field) => from[field] !== undefined);
  for (const field of present) delete from[field];
  return present.length > 0;
}

/** Sets the time of new taints. */
function stampTaints({ spec }: ResourceSlice, context: WriteContext | undefined): void {
  for (const { taints = [] } of spec.devices ?? [])
    for (const taint of taints) if (context) taint.timeAdded ??= formatTime(context.nowMs);
}

function* checkSlice(spec: ResourceSliceSpec, former: ResourceSliceSpec | undefined): Check {
  const { driver, pool } = spec;
  yield* checkCsiDriverName(driver, path.child('driver'));
  yield* checkPool(spec);
  if (former !== undefined) {
    yield* checkUnchanged(path.child('pool', 'name'), pool.name, former.pool.name);
    yield* checkUnchanged(path.child('driver'), driver, former.driver);
    yield* checkUnchanged(path.child('nodeName'), spec.nodeName ?? null, former.nodeName ?? null);
  }
  yield* checkNodeSelection(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined)
    yield invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed');
  yield* checkDevices(spec, former?.devices ?? []);
  yield* checkUniqueItems(
    spec.sharedCounters,
    max.counterSets,
    path.child('sharedCounters'),
    ({ name }) => name,
    checkCounterSet,
  );
}

function* checkPool({ pool }: ResourceSliceSpec): Check {
  const at = path.child('pool');
  yield* checkPoolName(pool.name, at.child('name'));
  if (pool.resourceSliceCount <= 0)
    yield invalid(at.child('resourceSliceCount'), pool.resourceSliceCount, 'must be greater than zero');
  if (pool.generation < 0)
    yield invalid(at.child('generation'), pool.generation, 'must be greater than or equal to zero');
}

const nodeFields = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

/** Exactly one field must select the nodes of the devices. */
function* checkNodeSelection(spec: ResourceSliceSpec): Check {
  const { nodeName, nodeSelector } = spec;
  if (nodeName === '') yield invalid(path.child('nodeName'), '', 'must be either unset or set to a non-empty string');
  else if (nodeName !== undefined)
    yield* problems(path.child('nodeName'), nodeName, validateDns1123Subdomain(nodeName));
  if (nodeSelector !== undefined) {
    yield* checkNodeSelector(nodeSelector, path.child('nodeSelector'));
    if (nodeSelector.nodeSelectorTerms?.length !== 1)
      yield invalid(
        path.child('nodeSelector', 'nodeSelectorTerms'),
        goForm(nodeSelector.nodeSelectorTerms, '[core.NodeSelectorTerm'),
        'must have exactly one node selector term',
      );
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const)
    if (spec[field] === false) yield invalid(path.child(field), false, 'must be either unset or set to true');
  const set = nodeFields.filter((field) => spec[field]).map((field) => `\`${field}\``);
  const detail = `exactly one of ${nodeFields.map((field) => `\`${field}\``).join(', ')} is required`;
  if (set.length === 0) yield required(path, detail);
  if (set.length > 1) yield invalid(path, `{${set.join(', ')}}`, `${detail}, but multiple fields are set`);
}

function* checkDevices({ devices, perDeviceNodeSelection }: ResourceSliceSpec, former: readonly Device[]): Check {
  const isAdvanced = (devices ?? []).some(({ taints, consumesCounters }) => taints?.length || consumesCounters?.length);
  yield* checkUniqueItems(
    devices,
    isAdvanced ? max.advancedDevices : max.devices,
    path.child('devices'),
    ({ name }) => name,
    (device, at) =>
      checkDevice(
        device,
        former.find(({ name }) => name === device.name),
        perDeviceNodeSelection === true,
        at,
      ),
  );
}

function* checkCounterSet({ name, counters }: CounterSet, at: FieldPath): Check {
  yield* checkCounterSetName(name, at.child('name'));
  yield* checkCounters(counters, max.counters, at.child('counters'));
}
