import { type FieldError, invalid } from '../../errors/index.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';

type Numeric = number | bigint;
export type NumberCheck = (value: Numeric, run: ValidationRun) => void;

/** The rules for numbers. They hold for any number, whatever type the schema names. */
export function numberCheck(schema: Schema): NumberCheck {
  const rules = [rangeRule(schema), multipleRule(schema), minimumRule(schema), maximumRule(schema)];
  const given = rules.filter((rule) => rule !== undefined);
  return (value, run) => {
    for (const rule of given) rule(value, run);
  };
}

/** A float as Go's `%v` prints it: with an exponent from a million on and below a ten thousandth. */
export function formatFloat(value: number): string {
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return scientific.replace(/e([+-])([0-9])$/, 'e$10$2');
}

/** The type's own capacity: integers within 64 or 32 bits, floats within 32. */
function rangeRule(schema: Schema): NumberCheck | undefined {
  const capacity = capacityOf(schema);
  if (capacity === undefined) return undefined;
  return (value, run) => {
    if (!capacity.holds(value)) run.complain((at) => `Checked value must be of type ${capacity.name} in ${at}`);
  };
}

function multipleRule(schema: Schema): NumberCheck | undefined {
  const { multipleOf } = schema;
  if (multipleOf === undefined) return undefined;
  const complaint = boundComplaint(schema, multipleOf, 'MultipleOf');
  return (value, run) => {
    if (complaint !== undefined) run.complain((at) => `${complaint} in ${at}`);
    const factor = complaint === undefined && isInteger(value) ? Math.trunc(multipleOf) : multipleOf;
    if (factor <= 0) run.report((field, at) => factorError(field, at, factor));
    else if (!isMultiple(value, factor)) run.invalid(value, `should be a multiple of ${formatLike(value, factor)}`);
  };
}

function minimumRule(schema: Schema): NumberCheck | undefined {
  const { minimum, exclusiveMinimum } = schema;
  if (minimum === undefined) return undefined;
  const complaint = boundComplaint(schema, minimum, 'Minimum boundary');
  const words = exclusiveMinimum ? 'should be greater than' : 'should be greater than or equal to';
  return (value, run) => {
    if (complaint !== undefined) run.complain((at) => `${complaint} in ${at}`);
    const bound = complaint === undefined ? boundFor(value, minimum) : minimum;
    if (value < bound || (exclusiveMinimum && isEqual(value, bound)))
      run.invalid(value, `${words} ${formatLike(value, bound)}`);
  };
}

function maximumRule(schema: Schema): NumberCheck | undefined {
  const { maximum, exclusiveMaximum } = schema;
  if (maximum === undefined) return undefined;
  const complaint = boundComplaint(schema, maximum, 'Maximum boundary');
  const words = exclusiveMaximum ? 'should be less than' : 'should be less than or equal to';
  return (value, run) => {
    if (complaint !== undefined) run.complain((at) => `${complaint} in ${at}`);
    const bound = complaint === undefined ? boundFor(value, maximum) : maximum;
    if (value > bound || (exclusiveMaximum && isEqual(value, bound)))
      run.invalid(value, `${words} ${formatLike(value, bound)}`);
  };
}

interface Capacity {
  readonly name: string;
  holds(value: Numeric): boolean;
}

function capacityOf({ type, format, intOrString }: Schema): Capacity | undefined {
  if (intOrString) return undefined;
  if (type === 'integer') return integerCapacity(format);
  if (type !== 'number' || format !== 'float') return undefined;
  return { name: 'number with format float', holds: (value) => Number.isFinite(Math.fround(Number(value))) };
}

function integerCapacity(format: string | undefined): Capacity {
  if (format === 'int32') {
    return {
      name: 'integer with format int32',
      holds: (value) => isInteger(value) && value >= -2_147_483_648 && value <= 2_147_483_647,
    };
  }
  return { name: format === 'int64' ? 'integer with format int64' : 'integer (default format)', holds: isInteger };
}

/** A bound that the schema's own type cannot hold is an error of every value, as in Kubernetes. */
function boundComplaint(schema: Schema, bound: Numeric, name: string): string | undefined {
  const capacity = capacityOf(schema);
  return capacity === undefined || capacity.holds(bound) ? undefined : `${name} value must be of type ${capacity.name}`;
}

/** Go compares integers with the integer part of a bound. */
function boundFor(value: Numeric, bound: Numeric): Numeric {
  return typeof bound === 'number' && isInteger(value) ? Math.trunc(bound) : bound;
}

function isInteger(value: Numeric): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function isEqual(left: Numeric, right: Numeric): boolean {
  return !(left < right) && !(left > right);
}

function isMultiple(value: Numeric, factor: number): boolean {
  if (typeof value === 'bigint') return Number.isInteger(factor) && value % BigInt(factor) === 0n;
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Whole, or so close to it that the difference is an artefact of floating point. */
export function isNearInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9;
}

function factorError(field: string, at: string, factor: number): FieldError {
  const complaint = `factor MultipleOf declared for ${at} must be positive: ${formatFloat(factor)}`;
  return invalid(field, factor, complaint);
}

/** A bound is printed as what it was compared with: beside an integer as one. */
function formatLike(value: Numeric, bound: Numeric): string {
  const isWhole = typeof bound === 'bigint' || (isInteger(value) && Number.isInteger(bound));
  return isWhole ? BigInt(bound).toString() : formatFloat(Number(bound));
}
