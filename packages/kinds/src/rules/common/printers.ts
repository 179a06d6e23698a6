import type { KubernetesObject } from '@pintle/machinery';
import type { Column, Printer } from '@pintle/machinery/rules';
import { formatAge } from '@pintle/machinery/time';

type Context = { readonly nowMs: number };

export const nameColumn: Column = { name: 'Name', type: 'string', format: 'name' };
export const ageColumn: Column = { name: 'Age', type: 'string' };

/** A column that is always shown. */
export function column(name: string, type: Column['type'] = 'string'): Column {
  return { name, type };
}

/** A column that only `-o wide` shows. */
export function wideColumn(name: string, type: Column['type'] = 'string'): Column {
  return { name, type, priority: 1 };
}

/** Returns the age of the object: `5d`. */
export function age(object: KubernetesObject, { nowMs }: Context): string {
  return formatAge(object.metadata.creationTimestamp, nowMs);
}

/** Go's zero time. */
const NEVER = '0001-01-01T00:00:00Z';

/** Prints a kind without columns of its own. */
export const nameAndCreation: Printer = {
  columns: [nameColumn, { name: 'Created At', type: 'date' }],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? NEVER],
};

/** Prints a kind that has no other column but its age. */
export const nameAndAge: Printer = {
  columns: [nameColumn, ageColumn],
  row: (object, context) => [object.metadata.name ?? '', age(object, context)],
};

export function nameOf(object: KubernetesObject): string {
  return object.metadata.name ?? '';
}

/** `a,b,c + 2 more...` */
export function listWithMore(items: readonly string[], count = items.length, max = 3): string {
  const shown = items.slice(0, max).join(',');
  return items.length > max ? `${shown} + ${count - max} more...` : shown;
}
