import { formatSortedJson, quote } from '../../errors/index.ts';
import { canonicalJson, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';
import { shownValue } from './types.ts';

export type EnumCheck = (value: JsonValue, run: ValidationRun) => void;

/** Checks that a value is listed. Null never is, even when the enum has it: Kubernetes skips it. */
export function enumCheck(schema: Schema): EnumCheck | undefined {
  const values = schema.enum;
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set(values.filter((value) => value !== null && typeof value !== 'object'));
  const compounds = new Set(values.filter((value) => value !== null && typeof value === 'object').map(canonicalJson));
  const supported = values.map((value) => quote(typeof value === 'string' ? value : formatSortedJson(value)));
  const list = `supported values: ${supported.join(', ')}`;
  return (value, run) => {
    if (typeof value !== 'object' ? isListed(scalars, value) : value !== null && compounds.has(canonicalJson(value)))
      return;
    run.report((field) => ({
      reason: 'FieldValueNotSupported',
      field,
      body: `Unsupported value: ${shownValue(value)}: ${list}`,
    }));
  };
}

/** Kubernetes truncates a fraction before it compares with whole numbers. */
function isListed(scalars: ReadonlySet<JsonValue>, value: JsonValue): boolean {
  return scalars.has(value) || (typeof value === 'number' && scalars.has(Math.trunc(value)));
}
