import { type FieldError, invalid } from '../../errors/index.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';

type Numeric = number | bigint;
export type NumberCheck = (value: Numeric, run: ValidationRun) => void;

/** Checks numbers. The rules apply to any number, whatever the type of the schema. */
export function numberCheck(schema: Schema): NumberCheck {
  const rules = [rangeRule(schema), multipleRule(schema), minimumRule(schema), maximumRule(schema)];
  const given = rules.filter((rule) => rule !== undefined);
  return (value, run) => {
    for (const rule of given) rule(value, run);
  };
}

/** Formats a float as Go's `%v` does: with an exponent from a million on and below a ten thousandth. */
function formatFloat(value: number): string {
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return scientific.replace(/e([+-])([0-9])$/, 'e$10$2');
}

/** Checks the range of the type: integers within 64 or 32 bits, floats within 32. */
function rangeRule(schema: Schema): NumberCheck | undefined {
  const capacity = capacityOf(schema);
  if (capacity === undefined) return undefined;
  return (value, run) => {
    if (!capacity.holds(value))
      run.reportWithoutField((at) => `Checked value must be of type ${capacity.name} in ${at}`);
  };
}

function multipleRule(schema: Schema): NumberCheck | undefined {
  if (schema.multipleOf === undefined) return undefined;
  const bound = boundOf(schema, schema.multipleOf, 'MultipleOf');
  return (given, run) => {
    const { value, limit, isWhole } = compared(given, bound, run);
    if (limit <= 0) run.report((field, at) => factorError(field, at, limit));
    else if (!isMultiple(value, limit)) refuse(run, value, isWhole, `should be a multiple of ${shown(limit, isWhole)}`);
  };
}

function minimumRule(schema: Schema): NumberCheck | undefined {
  const { minimum, exclusiveMinimum } = schema;
  if (minimum === undefined) return undefined;
  const bound = boundOf(schema, minimum, 'Minimum boundary');
  const words = exclusiveMinimum ? 'should be greater than' : 'should be greater than or equal to';
  return (given, run) => {
    const { value, limit, isWhole } = compared(given, bound, run);
    if (value < limit || (exclusiveMinimum && isEqual(value, limit)))
      refuse(run, value, isWhole, `${words} ${shown(limit, isWhole)}`);
  };
}

function maximumRule(schema: Schema): NumberCheck | undefined {
  const { maximum, exclusiveMaximum } = schema;
  if (maximum === undefined) return undefined;
  const bound = boundOf(schema, maximum, 'Maximum boundary');
  const words = exclusiveMaximum ? 'should be less than' : 'should be less than or equal to';
  return (given, run) => {
    const { value, limit, isWhole } = compared(given, bound, run);
    if (value > limit || (exclusiveMaximum && isEqual(value, limit)))
      refuse(run, value, isWhole, `${words} ${shown(limit, isWhole)}`);
  };
}

/** A bound as Go holds it, a double, which may be beyond the range of the schema's type. */
interface Bound {
  readonly limit: number;
  readonly whole: Numeric;
  /** Message of an error that Kubernetes reports for every value, when the bound is beyond the range of the type. */
  readonly detail: string | undefined;
}

function boundOf(schema: Schema, bound: Numeric, name: string): Bound {
  const limit = Number(bound);
  const capacity = capacityOf(schema);
  const isHeld = capacity === undefined || capacity.holds(limit);
  return {
    limit,
    whole: toInt64(limit),
    detail: isHeld ? undefined : `${name} value must be of type ${capacity.name}`,
  };
}

/** Go compares integers with the integer part of a bound, and as doubles where the bound is beyond the type. */
function compared(value: Numeric, { limit, whole, detail }: Bound, run: ValidationRun) {
  if (detail !== undefined) run.reportWithoutField((at) => `${detail} in ${at}`);
  const isWhole = detail === undefined && isInteger(value);
  return isWhole ? { value, limit: whole, isWhole } : { value: Number(value), limit, isWhole };
}

/** A double beyond 64 bits becomes the least int64, as on the machines that Kubernetes runs on. */
function toInt64(value: number): Numeric {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : leastInt64;
}

const leastInt64 = -(2n ** 63n);

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
  const name = format === 'int64' ? 'integer with format int64' : 'integer (default format)';
  return { name, holds: (value) => isInteger(value) || isInt64AsWritten(value) };
}

/** Compares a double by its shortest digits, which for the largest integers are greater than its value. */
function isInt64AsWritten(value: Numeric): boolean {
  if (!Number.isInteger(value) || Math.abs(Number(value)) >= 2 ** 63) return false;
  return BigInt.asIntN(64, BigInt(String(value))) === BigInt(String(value));
}

function isInteger(value: Numeric): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function isEqual(left: Numeric, right: Numeric): boolean {
  return !(left < right) && !(left > right);
}

function isMultiple(value: Numeric, factor: Numeric): boolean {
  if (typeof value === 'bigint' || typeof factor === 'bigint') return BigInt(value) % BigInt(factor) === 0n;
  if (Number.isSafeInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** True for whole numbers and for those so close to one that the difference is an artefact of floating point. */
export function isNearInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9;
}

function factorError(field: string, at: string, factor: Numeric): FieldError {
  const detail = `factor MultipleOf declared for ${at} must be positive: ${shown(factor, typeof factor === 'bigint')}`;
  return invalid(field, factor, detail);
}

/** Prints a value as a double where it was compared as one. */
function refuse(run: ValidationRun, value: Numeric, isWhole: boolean, detail: string): void {
  run.report((field, at) => {
    const body = `Invalid value: ${shown(value, isWhole)}: ${at} in body ${detail}`;
    return { reason: 'FieldValueInvalid', field, body };
  });
}

function shown(bound: Numeric, isWhole: boolean): string {
  return isWhole ? BigInt(bound).toString() : formatFloat(Number(bound));
}
