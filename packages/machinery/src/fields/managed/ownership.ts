import type { FieldSet } from '../set/field-set.ts';
import { FieldSet as Fields } from '../set/field-set.ts';
import { type Comparison, compareTyped } from '../typed/compare-typed.ts';
import { reconcileFields } from '../typed/schema-changes.ts';
import { type FieldSteps, inVersion, type Versioned, type WriteContext, withoutResetFields } from './context.ts';
import { type Manager, type Managers, withFields } from './manager.ts';

/** Fields that are never owned: those that the server sets, and those that identify the object. */
const neverOwned: FieldSet = Fields.of(
  [{ field: 'apiVersion' }],
  [{ field: 'kind' }],
  [{ field: 'metadata' }],
  ...[
    ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields'],
    'resourceVersion',
  ].map((field) => [{ field: 'metadata' }, { field }]),
);

export function withoutNeverOwned(fields: FieldSet): FieldSet {
  return fields.difference(neverOwned);
}

/** A write from one object to another, in every version in which fields are owned. Each version is compared once. */
export class Change {
  readonly #context: WriteContext;
  readonly #live: Versioned;
  readonly #next: Versioned;
  readonly #comparisons = new Map<string, Comparison | undefined>();

  constructor(context: WriteContext, live: Versioned, next: Versioned) {
    this.#context = context;
    this.#live = live;
    this.#next = next;
  }

  /** Returns the changes in paths of that version; `undefined` when the version no longer exists. */
  *in(apiVersion: string): FieldSteps<Comparison | undefined> {
    if (!this.#comparisons.has(apiVersion)) this.#comparisons.set(apiVersion, yield* this.#compare(apiVersion));
    return this.#comparisons.get(apiVersion);
  }

  *#compare(apiVersion: string): FieldSteps<Comparison | undefined> {
    const live = yield* inVersion(this.#context, this.#live, apiVersion, 'failed to convert old object: ');
    const next = live && (yield* inVersion(this.#context, this.#next, apiVersion, 'failed to convert new object: '));
    if (next === undefined) return undefined;
    const { added, modified, removed } = compareTyped(live!.object, next.object, next.schema);
    const isReset = apiVersion === this.#context.apiVersion || (this.#context.isResetIn?.(apiVersion) ?? true);
    const filter = (fields: FieldSet): FieldSet =>
      fields.isEmpty || !isReset ? fields : withoutResetFields(this.#context, fields);
    return { added: filter(added), modified: filter(modified), removed: filter(removed) };
  }
}

/** Returns the managers adapted to the current schemas, without those of versions that no longer exist. */
export function* adaptManagers(
  context: WriteContext,
  live: Versioned,
  managers: Managers,
): FieldSteps<Map<string, Manager>> {
  const present = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const there = yield* inVersion(context, live, manager.apiVersion);
    if (there !== undefined) present.set(id, withFields(manager, reconcileFields(manager.fields, there.schema)));
    yield;
  }
  return present;
}

/** Returns the fields of each manager but `self` that a change gave another value. */
export function* contestedFields(
  managers: Managers,
  self: string | undefined,
  change: Change,
): FieldSteps<Map<string, FieldSet>> {
  const contested = new Map<string, FieldSet>();
  for (const [id, manager] of managers) {
    const comparison = id === self ? undefined : yield* change.in(manager.apiVersion);
    if (comparison === undefined) continue;
    yield;
    const { modified, added } = comparison;
    const fields = manager.fields.intersection(modified).union(manager.fields.intersection(added));
    if (!fields.isEmpty) contested.set(id, fields);
  }
  return contested;
}

/** Removes the fields that a change took from managers other than `self`. Drops managers that have no fields left. */
export function* removeTakenFields(
  managers: Managers,
  self: string | undefined,
  change: Change,
): FieldSteps<Map<string, Manager>> {
  const left = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const comparison = id === self ? unchanged : yield* change.in(manager.apiVersion);
    if (comparison === undefined) continue;
    yield;
    const { added, modified, removed } = comparison;
    const fields =
      id === self ? manager.fields : manager.fields.difference(modified).difference(added).difference(removed);
    if (!fields.isEmpty) left.set(id, withFields(manager, fields));
  }
  return left;
}

const unchanged: Comparison = { added: Fields.of(), modified: Fields.of(), removed: Fields.of() };
