import { setCondition } from '@pintle/client';
import type { Condition } from '@pintle/kinds/meta/v1';
import type { KubernetesObject } from '@pintle/machinery';

/** The status of a kind's objects. */
export type StatusOf<T extends KubernetesObject> = T extends { status?: infer S } ? NonNullable<S> : never;

/** A condition as a reconcile says it. When it last changed follows from what was there. */
export interface SaidCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word for programs; the API wants one. */
  readonly reason: string;
  readonly message?: string | undefined;
  /** Default: the generation that the reconcile saw. */
  readonly observedGeneration?: number | undefined;
}

/**
 * Fields of a status; those left out stay as they are, `undefined` takes one away. Conditions are found by their type:
 * those left out stay, and their transition times follow from whether their status changes.
 */
export type StatusPatch<S> = { readonly [K in Exclude<keyof S, 'conditions'>]?: S[K] | undefined } & {
  readonly conditions?: readonly SaidCondition[] | undefined;
};

/** Gives the whole new status. `before` is shared: look, never write. */
export type StatusEdit<S> = (before: Partial<S>) => StatusPatch<S>;

type Status = { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number } & object;

type Said = { readonly conditions?: readonly SaidCondition[] | undefined };
type Edit = Said | StatusEdit<object>;

interface DraftScene {
  readonly nowMs: number;
  /** Of the object that the reconcile saw. */
  readonly generation: number | undefined;
  /** Whether the status as a whole says which generation it is of, unless somebody says so. */
  readonly isObserved: boolean;
}

/** What a reconcile says about its object, in the order it said it. Can be said again of a newer state of the object. */
export class StatusDraft {
  readonly #edits: Edit[] = [];

  add(edit: Edit): void {
    this.#edits.push(edit);
  }

  after(before: Status | undefined, scene: DraftScene): Status {
    let status: Status = before ?? {};
    for (const edit of this.#edits) {
      status = typeof edit === 'function' ? edited(status, edit, scene) : patched(status, edit, scene);
    }
    const { generation, isObserved } = scene;
    if (!isObserved || generation === undefined || status.observedGeneration === generation) return status;
    const isSaid = this.#edits.some((edit) => typeof edit === 'object' && 'observedGeneration' in edit);
    return isSaid ? status : { ...status, observedGeneration: generation };
  }
}

function patched(status: Status, patch: Said, scene: DraftScene): Status {
  if (isNoNews(status, patch)) return status;
  const { conditions, ...fields } = patch;
  const next = present({ ...status, ...fields });
  return conditions === undefined ? next : { ...next, conditions: merged(status.conditions, conditions, scene) };
}

/** It is so already, which is seen without making anything where no field is a list or an object. */
function isNoNews(status: Status, patch: Said): boolean {
  if (patch.conditions !== undefined) return false;
  const [present, said] = [status as { [key: string]: unknown }, patch as { [key: string]: unknown }];
  for (const key in said) if (key !== 'conditions' && said[key] !== present[key]) return false;
  return true;
}

/** Conditions that are no longer given are gone. */
function edited(status: Status, edit: StatusEdit<object>, scene: DraftScene): Status {
  const { conditions, ...fields } = edit(status) as Said;
  if (conditions === undefined) return present({ ...fields });
  const all = merged(status.conditions, conditions, scene);
  const kept = new Set(conditions.map(({ type }) => type));
  return { ...present({ ...fields }), conditions: all.filter(({ type }) => kept.has(type)) };
}

/** What is `undefined` is not there. */
function present(fields: { [key: string]: unknown }): object {
  for (const key in fields) if (fields[key] === undefined) delete fields[key];
  return fields;
}

function merged(
  before: readonly Condition[] | undefined,
  conditions: readonly SaidCondition[],
  { nowMs, generation }: DraftScene,
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
