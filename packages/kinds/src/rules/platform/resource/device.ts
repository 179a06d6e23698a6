import { duplicate, type FieldPath, forbidden, invalid, required, tooLong, tooMany } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import {
  byteLength,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelKey,
  validateLabelValue,
} from '@pintle/machinery/names';
import type {
  Counter,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../../../generated/resource/v1.ts';
import { type Check, checkChoice, problems, sortedEntries } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { repeats } from '../../common/lists.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { checkRequestPolicy } from './capacity-policy.ts';
import { taintEffects } from './device-claim.ts';
import { checkItems, checkQualifiedName, checkUniqueItems } from './device-names.ts';

const max = { properties: 32, values: 48, taints: 16, consumptions: 2, counters: 32, conditions: 4, valueBytes: 64 };

export function* checkDevice(
  device: Device,
  former: Device | undefined,
  selectsNodesPerDevice: boolean,
  path: FieldPath,
): Check {
  const { attributes = {}, capacity = {} } = device;
  yield* problems(path.child('name'), device.name, validateDns1123Label(device.name));
  yield* checkAmounts(device, path);
  for (const [name, attribute] of sortedEntries(attributes)) {
    yield* checkQualifiedName(name, path.child('attributes'));
    yield* checkAttribute(attribute, path.child('attributes').key(name));
  }
  for (const [name, amount] of sortedEntries(capacity)) {
    yield* checkQualifiedName(name, path.child('capacity'));
    yield* checkCapacity(amount, device.allowMultipleAllocations ?? false, path.child('capacity').key(name));
  }
  if (former === undefined || !deepEqual(former.taints ?? [], device.taints ?? []))
    yield* checkItems(device.taints, max.taints, path.child('taints'), checkTaint);
  yield* checkUniqueItems(
    device.consumesCounters,
    max.consumptions,
    path.child('consumesCounters'),
    ({ counterSet }) => counterSet,
    checkConsumption,
  );
  yield* checkNodeSelection(device, selectsNodesPerDevice, path);
  yield* checkBinding(device, path);
}

function* checkAmounts({ attributes = {}, capacity = {} }: Device, path: FieldPath): Check {
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > max.properties)
    yield invalid(path, properties, `the total number of attributes and capacities must not exceed ${max.properties}`);
  const values = Object.values(attributes).reduce((sum, { bools, ints, strings, versions }) => {
    const listed = [bools, ints, strings, versions].reduce((count, list) => count + (list?.length ?? 0), 0);
    return sum + (listed || 1);
  }, 0);
  if (values > max.values)
    yield invalid(path, values, `the total number of attribute values must not exceed ${max.values}`);
}

function* checkAttribute(attribute: DeviceAttribute, path: FieldPath): Check {
  const { string, version, strings = [], versions = [] } = attribute;
  if (string !== undefined) yield* checkText(string, path.child('string'));
  if (version !== undefined) yield* checkVersion(version, path.child('version'));
  for (const [index, text] of strings.entries()) yield* checkText(text, path.child('strings').index(index));
  for (const [index, text] of versions.entries()) yield* checkVersion(text, path.child('versions').index(index));
  if (valuesIn(attribute) !== 1) yield invalid(path, shownAttribute(attribute), 'exactly one value must be specified');
}

/** An empty list counts as no value. */
function valuesIn(attribute: DeviceAttribute): number {
  return Object.values(attribute).filter((value) => !Array.isArray(value) || value.length > 0).length;
}

/** Returns the value to print: an empty text when it has no value. Omits lists, whose feature is disabled. */
function shownAttribute(attribute: DeviceAttribute): unknown {
  const { bools, ints, strings, versions, ...single } = attribute;
  return valuesIn(attribute) === 0 ? '' : goForm(single, 'resource.DeviceAttribute');
}

function* checkText(text: string, path: FieldPath): Check {
  if (byteLength(text) > max.valueBytes) yield tooLong(path, max.valueBytes);
}

function* checkVersion(text: string, path: FieldPath): Check {
  if (!isSemanticVersion(text)) yield invalid(path, text, 'must be a string compatible with semver.org spec 2.0.0');
  yield* checkText(text, path);
}

/** Matches a version as semver.org defines it: `1.2.3-alpha.1+build`. */
function isSemanticVersion(text: string): boolean {
  const [, numbers = '', prerelease, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text) ?? [];
  const parts = numbers.split('.');
  return (
    parts.length === 3 &&
    parts.every(isPlainNumber) &&
    (prerelease === undefined || prerelease.split('.').every((part) => isPlainNumber(part) || isWord(part))) &&
    (build === undefined || build.split('.').every((part) => /^[0-9A-Za-z-]+$/.test(part)))
  );
}

function isPlainNumber(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text);
}

function isWord(text: string): boolean {
  return /^[0-9A-Za-z-]+$/.test(text) && /[A-Za-z-]/.test(text);
}

function* checkCapacity({ value, requestPolicy }: DeviceCapacity, isShared: boolean, path: FieldPath): Check {
  if (requestPolicy === undefined) return;
  if (isShared) yield* checkRequestPolicy(requestPolicy, value, path.child('requestPolicy'));
  else yield forbidden(path.child('requestPolicy'), 'allowMultipleAllocations must be true');
}

function* checkTaint({ key, value, effect }: DeviceTaint, path: FieldPath): Check {
  yield* validateLabelKey(key, path.child('key'));
  if (value) yield* problems(path.child('value'), value, validateLabelValue(value));
  yield* checkChoice(path.child('effect'), effect, taintEffects);
}

function* checkConsumption({ counterSet, counters }: DeviceCounterConsumption, path: FieldPath): Check {
  yield* checkCounterSetName(counterSet, path.child('counterSet'));
  yield* checkCounters(counters, max.counters, path.child('counters'));
}

export function* checkCounterSetName(name: string, path: FieldPath): Check {
  if (name === '') yield required(path);
  else yield* problems(path, name, validateDns1123Label(name));
}

export function* checkCounters(
  counters: Readonly<Record<string, Counter>> | null | undefined,
  most: number,
  path: FieldPath,
): Check {
  const names = Object.keys(counters ?? {}).sort();
  if (names.length === 0) yield required(path);
  else if (names.length > most) yield tooMany(path, names.length, most);
  else for (const name of names) yield* problems(path, name, validateDns1123Label(name));
}

/** Checks the nodes of the device, when each device of the slice has its own. */
function* checkNodeSelection(
  { nodeName, nodeSelector, allNodes }: Device,
  selectsNodesPerDevice: boolean,
  path: FieldPath,
): Check {
  if (!selectsNodesPerDevice) {
    if (nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined)
      yield invalid(
        path,
        null,
        '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      );
    return;
  }
  if (nodeName === '') yield invalid(path.child('nodeName'), '', 'must not be empty');
  else if (nodeName !== undefined)
    yield* problems(path.child('nodeName'), nodeName, validateDns1123Subdomain(nodeName));
  if (nodeSelector !== undefined) yield* checkNodeSelector(nodeSelector, path.child('nodeSelector'));
  if (allNodes === false) yield invalid(path.child('allNodes'), false, 'must be either unset or set to true');
  const set = Object.entries({ nodeName, nodeSelector, allNodes })
    .filter(([, value]) => value)
    .map(([field]) => `\`${field}\``);
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) yield required(path, detail);
  if (set.length > 1) yield invalid(path, `{${set.join(', ')}}`, detail);
}

type Binding = Pick<Device, 'bindingConditions' | 'bindingFailureConditions'>;

/** Conditions for binding require conditions for its failure. */
export function* checkBinding({ bindingConditions, bindingFailureConditions }: Binding, path: FieldPath): Check {
  const hoped = bindingConditions ?? [];
  const feared = bindingFailureConditions ?? [];
  const hopedPath = path.child('bindingConditions');
  const fearedPath = path.child('bindingFailureConditions');
  yield* checkItems(hoped, max.conditions, hopedPath, validateLabelKey);
  yield* checkItems(feared, max.conditions, fearedPath, validateLabelKey);
  const isHopedTwice = repeats<string>();
  for (const [index, condition] of hoped.entries())
    if (isHopedTwice(condition)) yield duplicate(hopedPath.index(index), condition);
  const [hopes, isFearedTwice] = [new Set(hoped), repeats<string>()];
  for (const [index, condition] of feared.entries()) {
    if (isFearedTwice(condition)) yield duplicate(fearedPath.index(index), condition);
    if (hopes.has(condition))
      yield invalid(
        fearedPath.index(index),
        condition,
        'bindingFailureConditions must not overlap with bindingConditions',
      );
  }
  if (hoped.length === 0 && feared.length > 0)
    yield invalid(
      hopedPath,
      bindingConditions ?? null,
      'bindingConditions are required to use bindingFailureConditions',
    );
  if (feared.length === 0 && hoped.length > 0)
    yield invalid(
      fearedPath,
      bindingFailureConditions ?? null,
      'bindingFailureConditions are required to use bindingConditions',
    );
}
