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

/** How long the object exists: `5d`. */
export function age(object: KubernetesObject, { nowMs }: Context): string {
  return formatAge(object.metadata.creationTimestamp, nowMs);
}

/** The time at which Go's clocks begin. */
const NEVER = '0001-01-01T00:00:00Z';

/** What a kind without columns of its own shows. */
export const nameAndCreation: Printer = {
  columns: [nameColumn, { name: 'Created At', type: 'date' }],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? NEVER],
};

/** What a kind shows that has nothing to say but how old it is. */
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
