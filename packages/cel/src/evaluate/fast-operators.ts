import { isError, type Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';

/** What an operator gives for two plain numbers; `undefined` when the long way must be taken. */
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
 * A shortcut for the operators that loops are full of: two plain numbers are combined on the spot, at the one unit they
 * cost; everything else goes the way of all calls.
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
