import { quote } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';
import { ValueChecker } from './value-checker.ts';

export type CombinatorCheck = (value: JsonValue, run: ValidationRun) => void;

/**
 * Checks `anyOf`, `oneOf`, `allOf` and `not`, which apply to the whole value: they check all of it again when any part
 * of it has changed.
 */
export function combinatorCheck(schema: Schema): CombinatorCheck | undefined {
  const checkers = (schemas: readonly Schema[] = []) => schemas.map((inner) => ValueChecker.of(inner));
  const checks = [
    anyOf(checkers(schema.anyOf)),
    oneOf(checkers(schema.oneOf)),
    allOf(checkers(schema.allOf)),
    not(schema.not === undefined ? undefined : ValueChecker.of(schema.not)),
  ].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, run) => {
    for (const check of checks) check(value, run);
  };
}

/** The counts of trying one schema; its errors are not in the run. */
interface Attempt {
  readonly checker: ValueChecker;
  readonly failures: number;
  readonly matches: number;
}

function anyOf(checkers: readonly ValueChecker[]): CombinatorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, run) => {
    let best: Attempt | undefined;
    for (const checker of checkers) {
      const attempt = attemptOf(checker, value, run);
      if (attempt.failures === 0) {
        run.matches += attempt.matches;
        return;
      }
      if (best === undefined || attempt.matches > best.matches) best = attempt;
    }
    run.reportWithoutField((at) => `${quote(at)} must validate at least one schema (anyOf)`);
    explain(best!, value, run);
  };
}

function oneOf(checkers: readonly ValueChecker[]): CombinatorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, run) => {
    let best: Attempt | undefined;
    let success: Attempt | undefined;
    let valid = 0;
    for (const checker of checkers) {
      const attempt = attemptOf(checker, value, run);
      if (attempt.failures === 0) {
        valid++;
        success ??= attempt;
      } else if (best === undefined || attempt.matches > best.matches) best = attempt;
    }
    if (valid === 1) {
      run.matches += success!.matches;
      return;
    }
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    run.reportWithoutField((at) => `${quote(at)} must validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) explain(best!, value, run);
  };
}

function allOf(checkers: readonly ValueChecker[]): CombinatorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, run) => {
    let valid = 0;
    for (const checker of checkers) {
      const before = run.failures;
      checker.checkValue(value, undefined, run);
      if (run.failures === before) valid++;
    }
    if (valid === checkers.length) return;
    const none = valid === 0 ? '. None validated' : '';
    run.reportWithoutField((at) => `${quote(at)} must validate all the schemas (allOf)${none}`);
  };
}

function not(checker: ValueChecker | undefined): CombinatorCheck | undefined {
  if (checker === undefined) return undefined;
  return (value, run) => {
    if (attemptOf(checker, value, run).failures > 0) return;
    run.reportWithoutField((at) => `${quote(at)} must not validate the schema (not)`);
  };
}

/** Tries a schema without reporting errors. */
function attemptOf(checker: ValueChecker, value: JsonValue, run: ValidationRun): Attempt {
  const { failures, matches, isSilent } = run;
  run.isSilent = true;
  checker.checkValue(value, undefined, run);
  const attempt = { checker, failures: run.failures - failures, matches: run.matches - matches };
  run.failures = failures;
  run.matches = matches;
  run.isSilent = isSilent;
  return attempt;
}

/** Checks the closest alternative once more and reports its errors. */
function explain(best: Attempt, value: JsonValue, run: ValidationRun): void {
  if (!run.isSilent) {
    best.checker.checkValue(value, undefined, run);
    return;
  }
  run.failures += best.failures;
  run.matches += best.matches;
}
