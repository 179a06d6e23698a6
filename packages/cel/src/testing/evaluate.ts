import { compileExpression, Environment, type Evaluation, kubernetesLibraries } from '../index.ts';
import { BYTES, DOUBLE, DYN, INT, listType, mapType, STRING, TIMESTAMP, UINT } from '../types/type.ts';
import { CelError, type Value } from '../values/value.ts';

/** Variables of every type, for tests of expressions. */
const environment = new Environment({
  variables: {
    s: STRING,
    i: INT,
    u: UINT,
    n: DOUBLE,
    b: BYTES,
    t: TIMESTAMP,
    d: DYN,
    list: listType(INT),
    strings: listType(STRING),
    map: mapType(STRING, INT),
  },
  libraries: kubernetesLibraries,
});

/** Returns the compile error of an expression; `undefined` when it compiles. */
export function compileErrorOf(source: string): string | undefined {
  const compiled = compileExpression(source, environment);
  return 'program' in compiled ? undefined : compiled.error;
}

export function run(source: string, variables: Readonly<Record<string, Value>> = {}): Evaluation {
  const compiled = compileExpression(source, environment);
  if (!('program' in compiled)) throw new Error(compiled.error);
  return compiled.program.evaluate(variables);
}

/** Returns the value of an expression, or `error: reason`. */
export function evaluate(source: string, variables: Readonly<Record<string, Value>> = {}): Value {
  const { value } = run(source, variables);
  return value instanceof CelError ? `error: ${value.message}` : value;
}
