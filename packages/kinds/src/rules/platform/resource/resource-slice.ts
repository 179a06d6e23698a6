import { duplicate, FieldPath, invalid, quote, required, tooMany } from '@pintle/machinery/errors';
import {
  validateDns1123Label,
  validateDns1123Subdomain,
  validateDns1123SubdomainCaseless,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { ResourceSlice, ResourceSliceSpec } from '../../../generated/resource/v1.ts';
import type { Check } from '../../common/checks.ts';
import { checkUnchanged, problems } from '../../common/checks.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec');
const maxDevices = 128;

export const resourceSliceRules: ResourceRules<ResourceSlice> = {
  returnsDeletedObject: true,
  tracksGeneration: true,
  validate: ({ spec }) => [...checkSlice(spec, undefined)],
  validateUpdate: (next, previous) => [...checkSlice(next.spec, previous.spec)],
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`],
  selectableFields: ({ spec }) => ({ 'spec.nodeName': spec?.nodeName ?? '', 'spec.driver': spec?.driver ?? '' }),
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

function* checkSlice(spec: ResourceSliceSpec, former: ResourceSliceSpec | undefined): Check {
  const { driver, pool } = spec;
  if (driver === '') yield required(path.child('driver'));
  else yield* problems(path.child('driver'), driver, validateDns1123SubdomainCaseless(driver));
  yield* checkPool(spec);
  if (former !== undefined) {
    yield* checkUnchanged(path.child('pool', 'name'), pool.name, former.pool.name);
    yield* checkUnchanged(path.child('driver'), driver, former.driver);
    yield* checkUnchanged(path.child('nodeName'), spec.nodeName ?? null, former.nodeName ?? null);
  }
  yield* checkPlace(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined)
    yield invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed');
  yield* checkDevices(spec);
}

function* checkPool({ pool }: ResourceSliceSpec): Check {
  const at = path.child('pool');
  if (pool.name === '') yield required(at.child('name'));
  else
    for (const part of pool.name.split('/'))
      yield* problems(at.child('name'), pool.name, validateDns1123Subdomain(part));
  if (pool.resourceSliceCount <= 0)
    yield invalid(at.child('resourceSliceCount'), pool.resourceSliceCount, 'must be greater than zero');
  if (pool.generation < 0)
    yield invalid(at.child('generation'), pool.generation, 'must be greater than or equal to zero');
}

const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

/** Where the devices are is said in exactly one way. */
function* checkPlace(spec: ResourceSliceSpec): Check {
  const { nodeName, nodeSelector } = spec;
  if (nodeName === '') yield invalid(path.child('nodeName'), '', 'must be either unset or set to a non-empty string');
  else if (nodeName !== undefined)
    yield* problems(path.child('nodeName'), nodeName, validateDns1123Subdomain(nodeName));
  if (nodeSelector !== undefined) {
    yield* checkNodeSelector(nodeSelector, path.child('nodeSelector'));
    if (nodeSelector.nodeSelectorTerms?.length !== 1)
      yield invalid(
        path.child('nodeSelector', 'nodeSelectorTerms'),
        nodeSelector.nodeSelectorTerms ?? null,
        'must have exactly one node selector term',
      );
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const)
    if (spec[field] === false) yield invalid(path.child(field), false, 'must be either unset or set to true');
  const set = places.filter((field) => spec[field]).map((field) => `\`${field}\``);
  const detail = `exactly one of ${places.map((field) => `\`${field}\``).join(', ')} is required`;
  if (set.length === 0) yield required(path, detail);
  if (set.length > 1) yield invalid(path, `{${set.join(', ')}}`, `${detail}, but multiple fields are set`);
}

function* checkDevices({ devices = [] }: ResourceSliceSpec): Check {
  const at = path.child('devices');
  if (devices.length > maxDevices) yield tooMany(at, devices.length, maxDevices);
  const names = new Set<string>();
  for (const [index, { name }] of devices.entries()) {
    if (names.has(name)) yield duplicate(at.index(index), name);
    names.add(name);
    if (name === '') yield required(at.index(index).child('name'));
    else yield* problems(at.index(index).child('name'), name, validateDns1123Label(name));
  }
}
