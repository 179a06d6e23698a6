import { tooLong } from '../../errors/index.ts';
import { type FormatCheck, formatCheck } from '../formats/index.ts';
import { compilePattern } from '../patterns.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';

export type StringCheck = (value: string, run: ValidationRun) => void;

/** Checks strings; reports only the first rule that is broken. */
export function stringCheck(schema: Schema): StringCheck | undefined {
  const { maxLength, minLength } = schema;
  const matches = schema.pattern === undefined ? undefined : patternTest(schema.pattern);
  if (maxLength === undefined && minLength === undefined && matches === undefined) return undefined;
  return (value, run) => {
    if (maxLength !== undefined && isLongerThan(value, maxLength)) {
      run.report((field) => tooLong(field, maxLength));
    } else if (minLength !== undefined && !isLongerThan(value, minLength - 1)) {
      run.invalid(value, `should be at least ${minLength} chars long`);
    } else if (matches !== undefined && !matches.test(value, run)) {
      run.invalid(value, `should match '${matches.shown}'`);
    }
  };
}

/** Returns the check of the schema's format, if strings can have it. */
export function stringFormatCheck(schema: Schema): FormatCheck | undefined {
  const { type, intOrString, anyFormat } = schema;
  const isForStrings = type === undefined || type === 'string' || intOrString === true || anyFormat === true;
  return schema.format === undefined || !isForStrings ? undefined : formatCheck(schema.format);
}

interface PatternTest {
  readonly shown: string;
  test(value: string, run: ValidationRun): boolean;
}

function patternTest(source: string): PatternTest {
  const result = compilePattern(source);
  if ('problem' in result) {
    return { shown: `${source}, but pattern is invalid: ${result.problem}`, test: () => false };
  }
  const { pattern } = result;
  return {
    shown: source,
    test: (value, run) => {
      run.chargeMatch(value.length, pattern.size);
      return pattern.test(value);
    },
  };
}

/** True when a text has more characters than `limit`. Characters are code points; the length alone decides for most texts. */
function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _character of text) {
    if (++count > limit) return true;
  }
  return false;
}
