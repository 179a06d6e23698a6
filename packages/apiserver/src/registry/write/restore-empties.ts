import type { KubernetesObject } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import type { ExplicitEmpty } from '@pintle/machinery/schema';

/** An object whose empty lists and maps are restored while it is validated. */
export interface RestoredEmpties<P extends KubernetesObject | undefined> {
  readonly previous: P;
  readonly count: number;
  /** Removes them again. */
  undo(): void;
}

/**
 * Restores in `next` the lists and maps that the client sent empty, as far as a write to `subresource` can set them.
 * They are not stored and have no owners, but validation distinguishes empty from absent, and a few kinds count it as a
 * change. `previous` becomes a copy with the same, so that an absent value that is now empty is no change.
 */
export function restoreEmpties<P extends KubernetesObject | undefined>(
  emptied: readonly ExplicitEmpty[],
  next: KubernetesObject,
  previous: P,
  subresource: string,
): RestoredEmpties<P> {
  const sent = emptied.filter(({ path }) => isDecidedBy(subresource, path[0]!));
  if (sent.length === 0) return { previous, count: 0, undo: nothing };
  const undos = sent.flatMap((empty) => putInto(next, empty, previous));
  const undo = (): void => {
    for (const undoOne of undos) undoOne();
  };
  return { previous: undos.length === 0 ? previous : withEmpties(previous, sent), count: undos.length, undo };
}

function nothing(): void {}

function isDecidedBy(subresource: string, field: string | number): boolean {
  if (field === 'metadata') return false;
  return subresource === '' ? field !== 'status' : subresource === 'status' && field === 'status';
}

type Holder = Record<string | number, unknown>;

/** Returns functions that undo it; none when the path does not exist or is shared with the previous object. */
function putInto(
  object: KubernetesObject,
  { path, isList }: ExplicitEmpty,
  previous?: KubernetesObject,
): (() => void)[] {
  const name = path[path.length - 1]!;
  const holder = holderOf(object, path);
  if (holder === undefined || (holder[name] ?? undefined) !== undefined) return [];
  if (previous !== undefined && holder === holderOf(previous, path)) return [];
  const before = holder[name];
  const wasThere = Object.hasOwn(holder, name);
  holder[name] = isList ? [] : {};
  return [
    () => {
      if (wasThere) holder[name] = before;
      else delete holder[name];
    },
  ];
}

function holderOf(object: KubernetesObject, path: readonly (string | number)[]): Holder | undefined {
  let at: unknown = object;
  for (const step of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Holder)[step];
  }
  return typeof at === 'object' && at !== null ? (at as Holder) : undefined;
}

function withEmpties<P extends KubernetesObject | undefined>(object: P, sent: readonly ExplicitEmpty[]): P {
  if (object === undefined) return object;
  const copy = deepCopy(object);
  for (const empty of sent) putInto(copy, empty);
  return copy;
}
