import type { FieldError } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import type { ValidationRun } from './run.ts';
import { ValueChecker } from './value-checker.ts';

export type JunctorCheck = (value: JsonValue, previous: JsonValue | undefined, run: ValidationRun) => void;

/** `anyOf`, `oneOf`, `allOf` and `not`, which say something of the whole value. */
export function junctorCheck(schema: Schema, structure: Schema): JunctorCheck | undefined {
  const checkers = (schemas: readonly Schema[] = []) => schemas.map((inner) => ValueChecker.of(inner, structure));
  const checks = [
    anyOf(checkers(schema.anyOf)),
    oneOf(checkers(schema.oneOf)),
    allOf(checkers(schema.allOf)),
    not(schema.not === undefined ? undefined : ValueChecker.of(schema.not, structure)),
  ].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, previous, run) => {
    for (const check of checks) check(value, previous, run);
  };
}

/** What came of trying one schema; nothing of it is in the run. */
interface Attempt {
  readonly failures: number;
  readonly errors: readonly FieldError[];
  readonly matches: number;
}

function anyOf(checkers: readonly ValueChecker[]): JunctorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, previous, run) => {
    let best: Attempt | undefined;
    for (const checker of checkers) {
      const attempt = attemptOf(checker, value, previous, run);
      if (attempt.failures === 0) {
        run.matches += attempt.matches;
        return;
      }
      if (best === undefined || attempt.matches > best.matches) best = attempt;
    }
    run.complain(`${quotedPath(run)} must validate at least one schema (anyOf)`);
    keep(best, run);
  };
}

function oneOf(checkers: readonly ValueChecker[]): JunctorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, previous, run) => {
    let best: Attempt | undefined;
    let success: Attempt | undefined;
    let valid = 0;
    for (const checker of checkers) {
      const attempt = attemptOf(checker, value, previous, run);
      if (attempt.failures === 0) {
        valid++;
        success ??= attempt;
      } else if (best === undefined || attempt.matches > best.matches) best = attempt;
    }
    if (valid === 1) {
      keep(success, run);
      return;
    }
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    run.complain(`${quotedPath(run)} must validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) keep(best, run);
  };
}

function allOf(checkers: readonly ValueChecker[]): JunctorCheck | undefined {
  if (checkers.length === 0) return undefined;
  return (value, previous, run) => {
    let valid = 0;
    for (const checker of checkers) {
      const before = run.failures;
      checker.checkValue(value, previous, run);
      if (run.failures === before) valid++;
    }
    if (valid === checkers.length) return;
    run.complain(`${quotedPath(run)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  };
}

function not(checker: ValueChecker | undefined): JunctorCheck | undefined {
  if (checker === undefined) return undefined;
  return (value, previous, run) => {
    if (attemptOf(checker, value, previous, run).failures > 0) return;
    run.complain(`${quotedPath(run)} must not validate the schema (not)`);
  };
}

function attemptOf(
  checker: ValueChecker,
  value: JsonValue,
  previous: JsonValue | undefined,
  run: ValidationRun,
): Attempt {
  const { failures, matches } = run;
  const listed = run.errors.length;
  checker.checkValue(value, previous, run);
  const attempt = {
    failures: run.failures - failures,
    errors: run.errors.slice(listed),
    matches: run.matches - matches,
  };
  run.forgetSince(failures, listed);
  run.matches = matches;
  return attempt;
}

function keep(attempt: Attempt | undefined, run: ValidationRun): void {
  if (attempt === undefined) return;
  run.matches += attempt.matches;
  for (const error of attempt.errors) run.report(error);
  run.failures += attempt.failures - attempt.errors.length;
}

function quotedPath(run: ValidationRun): string {
  return JSON.stringify(run.path.toString());
}
