import type { FieldPath } from '@pintle/machinery/errors';
import { forbidden, notSupported } from '@pintle/machinery/errors';
import type { Check } from './checks.ts';

const supported = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function* checkAccessModes(modes: readonly string[], path: FieldPath): Check {
  for (const mode of modes) if (!supported.includes(mode)) yield notSupported(path, mode, supported);
  const known = new Set(modes.filter((mode) => supported.includes(mode)));
  if (known.has('ReadWriteOncePod') && known.size > 1)
    yield forbidden(path, 'may not use ReadWriteOncePod with other access modes');
}

const shortForms = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

/** `RWO,ROX`, always in this order. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return Object.entries(shortForms)
    .flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : []))
    .join(',');
}
