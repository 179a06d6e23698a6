import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';

type Counters = Readonly<Record<string, unknown>>;

/** A part must not exceed the whole. */
export function validateNotAbove(
  status: object,
  parts: readonly string[],
  whole: string,
  path: FieldPath,
  shownWhole: string,
): FieldError[] {
  return parts
    .filter((part) => counter(status, part) > counter(status, whole))
    .map((part) => invalid(path.child(part), counter(status, part), `cannot be greater than ${shownWhole}`));
}

/** The count of collisions must not shrink or be removed. */
export function validateNotDecremented(
  next: { readonly collisionCount?: number },
  previous: { readonly collisionCount?: number },
  path: FieldPath,
): FieldError[] {
  const [now, before] = [next.collisionCount, previous.collisionCount];
  if (before === undefined || (now !== undefined && now >= before)) return [];
  return [invalid(path.child('collisionCount'), now ?? 0, 'cannot be decremented')];
}

function counter(status: object, name: string): number {
  return Number((status as Counters)[name] ?? 0);
}
