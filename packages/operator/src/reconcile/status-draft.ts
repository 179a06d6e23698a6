import { setCondition } from '@pintle/client';
import type { Condition } from '@pintle/kinds/meta/v1';
import type { KubernetesObject } from '@pintle/machinery';

/** Type of the status of a kind. */
export type StatusOf<T extends KubernetesObject> = T extends { status?: infer S } ? NonNullable<S> : never;

/** Condition to set. Its transition time follows from the previous condition. */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Machine-readable reason in CamelCase; required by the API. */
  readonly reason: string;
  readonly message?: string | undefined;
  /** Default: the generation of the reconciled object. */
  readonly observedGeneration?: number | undefined;
}

/**
 * Fields of a status to change; `undefined` removes a field. Conditions are merged by type, and their transition times change
 * only with their status.
 */
export type StatusPatch<S> = { readonly [K in Exclude<keyof S, 'conditions'>]?: S[K] | undefined } & {
  readonly conditions?: readonly ConditionUpdate[] | undefined;
};

/** Returns the whole new status. `before` is shared: do not change it. */
export type StatusEdit<S> = (before: Partial<S>) => StatusPatch<S>;

type Status = { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number } & object;

type StatusFields = { readonly conditions?: readonly ConditionUpdate[] | undefined };
type Edit = StatusFields | StatusEdit<object>;

interface DraftContext {
  readonly nowMs: number;
  /** Generation of the reconciled object. */
  readonly generation: number | undefined;
  /** True sets `observedGeneration` of the status, unless an edit does. */
  readonly setsObservedGeneration: boolean;
}

/** Collects the status edits of a reconcile, in order. Can be applied again to a newer state of the object. */
export class StatusDraft {
  readonly #edits: Edit[] = [];

  add(edit: Edit): void {
    this.#edits.push(edit);
  }

  after(before: Status | undefined, context: DraftContext): Status {
    let status: Status = before ?? {};
    for (const edit of this.#edits) {
      status = typeof edit === 'function' ? edited(status, edit, context) : patched(status, edit, context);
    }
    const { generation, setsObservedGeneration } = context;
    if (!setsObservedGeneration || generation === undefined || status.observedGeneration === generation) return status;
    const isSet = this.#edits.some((edit) => typeof edit === 'object' && 'observedGeneration' in edit);
    return isSet ? status : { ...status, observedGeneration: generation };
  }
}

function patched(status: Status, patch: StatusFields, context: DraftContext): Status {
  if (isUnchanged(status, patch)) return status;
  const { conditions, ...fields } = patch;
  const next = withoutUndefined({ ...status, ...fields });
  return conditions === undefined ? next : { ...next, conditions: merged(status.conditions, conditions, context) };
}

/** True when no field changes. Compares by identity, which covers all but lists and objects without allocating. */
function isUnchanged(status: Status, patch: StatusFields): boolean {
  if (patch.conditions !== undefined) return false;
  const [present, wanted] = [status as { [key: string]: unknown }, patch as { [key: string]: unknown }];
  for (const key in wanted) if (key !== 'conditions' && wanted[key] !== present[key]) return false;
  return true;
}

/** Removes conditions that the edit does not return. */
function edited(status: Status, edit: StatusEdit<object>, context: DraftContext): Status {
  const { conditions, ...fields } = edit(status) as StatusFields;
  if (conditions === undefined) return withoutUndefined({ ...fields });
  const all = merged(status.conditions, conditions, context);
  const kept = new Set(conditions.map(({ type }) => type));
  return { ...withoutUndefined({ ...fields }), conditions: all.filter(({ type }) => kept.has(type)) };
}

/** Removes fields that are `undefined`. */
function withoutUndefined(fields: { [key: string]: unknown }): object {
  for (const key in fields) if (fields[key] === undefined) delete fields[key];
  return fields;
}

function merged(
  before: readonly Condition[] | undefined,
  conditions: readonly ConditionUpdate[],
  { nowMs, generation }: DraftContext,
): Condition[] {
  let all: readonly Condition[] = before ?? [];
  for (const { type, status, reason, message, observedGeneration = generation } of conditions) {
    const condition = {
      type,
      status,
      reason,
      ...(message !== undefined && { message }),
      ...(observedGeneration !== undefined && { observedGeneration }),
    };
    all = setCondition(all, condition, { nowMs });
  }
  return [...all];
}
