import { isError, type Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';

/** Returns the result for two plain numbers; `undefined` when the general path must be taken. */
type OfNumbers = (a: number, b: number) => Value | undefined;

const exact = (value: number): Value | undefined => (Number.isSafeInteger(value) ? value : undefined);

const operators: ReadonlyMap<string, OfNumbers> = new Map<string, OfNumbers>([
  ['add_int64', (a, b) => exact(a + b)],
  ['subtract_int64', (a, b) => exact(a - b)],
  ['less_int64', (a, b) => a < b],
  ['less_equals_int64', (a, b) => a <= b],
  ['greater_int64', (a, b) => a > b],
  ['greater_equals_int64', (a, b) => a >= b],
  ['equals', (a, b) => a === b],
  ['not_equals', (a, b) => a !== b],
]);

/**
 * Fast path for operators that are common in loops: computes two plain numbers directly, at the cost of one unit.
 * Everything else takes the general path.
 */
export function withShortcut(
  overload: string,
  [first, second]: readonly Step[],
  general: (frame: Frame, a: Value, b: Value) => Value,
): Step | undefined {
  const ofNumbers = operators.get(overload);
  if (ofNumbers === undefined || first === undefined || second === undefined) return undefined;
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    if (typeof a === 'number' && typeof b === 'number') {
      const result = ofNumbers(a, b);
      if (result !== undefined) {
        frame.cost++;
        return result;
      }
    }
    if (isError(a)) return a;
    if (isError(b)) return b;
    return general(frame, a, b);
  };
}
