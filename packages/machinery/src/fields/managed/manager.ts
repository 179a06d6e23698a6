import { quote } from '../../errors/quote.ts';
import type { JsonValue } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { finish, type Steps } from '../../rules/steps.ts';
import { FieldsError } from '../fields-error.ts';
import { emptySet, type FieldSet } from '../set/field-set.ts';
import { encodeFields, FieldsDecoder } from '../set/fields-v1.ts';
import { goJson } from '../set/path-element.ts';

/** A manager of fields, and the fields that it owns. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The version of the object in which `fields` are paths. */
  readonly apiVersion: string;
  /** The subresource through which the fields are owned; empty for the object itself. */
  readonly subresource: string;
  /** Time of the manager's last change, RFC 3339; absent when there was none. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry from which this was read, if nothing has changed since. */
  readonly entry?: ManagedFieldsEntry;
}

/** All managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * Returns the identity of a manager: name, operation, subresource and, for updates only, the version. An applier stays
 * the same when it continues in another version.
 */
export function managerId(manager: Omit<Manager, 'fields' | 'time'>): string {
  const { manager: name, operation, apiVersion, subresource } = manager;
  let id = `{${name === '' ? '' : `"manager":${goJson(name)},`}"operation":"${operation}"`;
  if (operation === 'Update') id += `,"apiVersion":${goJson(apiVersion)}`;
  if (subresource !== '') id += `,"subresource":${goJson(subresource)}`;
  return `${id}}`;
}

/**
 * Reads `metadata.managedFields`. Of two entries for one manager the later counts. Throws `FieldsError` when any entry
 * is invalid: then none of them is used.
 */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined | null): Managers {
  return finish(decodeManagersInSteps(entries));
}

/** As `decodeManagers`, with a pause after each entry. */
export function* decodeManagersInSteps(entries: readonly ManagedFieldsEntry[] | undefined | null): Steps<Managers> {
  const managers = new Map<string, Manager>();
  const decoder = new FieldsDecoder();
  for (const [index, entry] of (entries ?? []).entries()) {
    const manager = decodeManager(entry, index, decoder);
    managers.set(managerId(manager), manager);
    yield;
  }
  return managers;
}

function decodeManager(entry: ManagedFieldsEntry, index: number, decoder: FieldsDecoder): Manager {
  const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsType = '', fieldsV1 } = entry;
  const invalid = (problem: string, cause?: unknown): FieldsError =>
    new FieldsError({ code: 'InvalidEntry', index, problem }, { cause });
  if (operation !== 'Apply' && operation !== 'Update') throw invalid('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw invalid('apiVersion must not be empty');
  if (fieldsType === ('' as string)) throw invalid(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw invalid(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  }
  try {
    const fields = fieldsV1 === undefined || fieldsV1 === null ? emptySet : decoder.decode(fieldsV1 as JsonValue);
    return { manager, operation, apiVersion, subresource, time: time ?? undefined, fields, entry };
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    throw invalid(`error decoding fieldsV1 of managed fields entry ${index}: ${error.message}`, error);
  }
}

/**
 * Writes `metadata.managedFields` in canonical order: applies before updates, then by time, name, version and
 * subresource. Entries of unchanged managers are those they were read from, not copies.
 */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return finish(encodeManagersInSteps(managers));
}

/** As `encodeManagers`, with a pause after each entry that has to be written. */
export function* encodeManagersInSteps(managers: Managers): Steps<ManagedFieldsEntry[]> {
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of [...managers.values()].sort(compareManagers)) {
    entries.push(manager.entry ?? encodeManager(manager));
    if (manager.entry === undefined) yield;
  }
  return entries;
}

export function encodeManager({
  manager,
  operation,
  apiVersion,
  subresource,
  time,
  fields,
}: Manager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = encodeFields(fields);
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

function compareManagers(left: Manager, right: Manager): number {
  return (
    compareTexts(left.operation, right.operation) ||
    secondsOf(left.time) - secondsOf(right.time) ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  );
}

/** Returns seconds since the epoch; 0 for an absent or invalid time. */
export function secondsOf(time: string | undefined): number {
  const milliseconds = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the manager with other fields; the same one when the sets are equal. */
export function withFields(manager: Manager, fields: FieldSet): Manager {
  if (manager.fields === fields) return manager;
  const { entry: _, ...rest } = manager;
  return { ...rest, fields };
}
