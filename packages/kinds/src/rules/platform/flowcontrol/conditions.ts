import { duplicate, FieldPath, required } from '@pintle/machinery/errors';
import type { Check } from '../../common/checks.ts';

/** Conditions of flow control's kinds have types, and no type twice. */
export function* checkConditionTypes(conditions: readonly { type?: string }[]): Check {
  const seen = new Set<string>();
  for (const [index, { type = '' }] of conditions.entries()) {
    const at = FieldPath.of('status', 'conditions').index(index).child('type');
    if (seen.has(type)) yield duplicate(at, type);
    seen.add(type);
    if (type === '') yield required(at);
  }
}
