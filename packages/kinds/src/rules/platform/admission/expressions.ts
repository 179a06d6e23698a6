import {
  compileExpression,
  DYN,
  type Environment,
  isSameType,
  type PolicyEnvironmentOptions,
  policyEnvironment,
  type Type,
} from '@pintle/cel';
import { type FieldPath, internal, invalid } from '@pintle/machinery/errors';
import type { Variable } from '../../../generated/admissionregistration/v1.ts';
import type { Check } from '../../common/checks.ts';

/** Compiles the expressions of one policy. Each may use the variables that were declared before it. */
export class PolicyExpressions {
  readonly #hasParams: boolean;
  readonly #variables: Map<string, Type> | undefined;
  readonly #environments = new Map<string, Environment>();

  constructor(spec: { readonly paramKind?: unknown; readonly variables?: readonly Variable[] }, isMutating = false) {
    this.#hasParams = spec.paramKind !== undefined;
    // `variables` is not declared in a validating policy without variables; in a mutating one it is.
    this.#variables = spec.variables?.length || isMutating ? new Map() : undefined;
  }

  /** Declares a variable of any type. Later expressions may use it, even if its own expression is invalid. */
  *declare({ name, expression }: Variable, path: FieldPath): Check {
    const compiled = compileExpression(expression, this.#environment({ hasAuthorizer: true }));
    yield* problemsOf(compiled, expression, path);
    this.#variables!.set(name, 'program' in compiled ? compiled.program.type : DYN);
    this.#environments.clear();
  }

  *check(expression: string, path: FieldPath, types: readonly Type[], offered: PolicyEnvironmentOptions): Check {
    const compiled = compileExpression(expression, this.#environment(offered));
    yield* this.#judge(compiled, expression, path, types);
  }

  /** Compiles an expression without the spaces around it, but reports it with them. */
  *checkTrimmed(expression: string, path: FieldPath, types: readonly Type[], offered: PolicyEnvironmentOptions): Check {
    const compiled = compileExpression(expression.trim(), this.#environment(offered));
    yield* this.#judge(compiled, expression, path, types);
  }

  *#judge(
    compiled: ReturnType<typeof compileExpression>,
    expression: string,
    path: FieldPath,
    types: readonly Type[],
  ): Check {
    const type = typeOf(compiled);
    if (type === undefined || types.some((wanted) => isSameType(type, wanted))) {
      yield* problemsOf(compiled, expression, path);
      return;
    }
    const names = types.map(nameOf);
    const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    yield invalid(path, expression, `must evaluate to ${wanted} but got ${nameOf(type)}`);
  }

  /** Caches environments: those of one policy differ little, and it has many expressions. */
  #environment(offered: PolicyEnvironmentOptions): Environment {
    const key = JSON.stringify(offered);
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const made = policyEnvironment({
      ...offered,
      hasParams: this.#hasParams,
      hasNamespace: true,
      ...(this.#variables && { variables: this.#variables }),
    });
    this.#environments.set(key, made);
    return made;
  }
}

/** Returns the type of an expression, also of one that always fails. */
export function typeOf(compiled: ReturnType<typeof compileExpression>): Type | undefined {
  if ('program' in compiled) return compiled.program.type;
  return compiled.stage === 'instantiate' ? compiled.type : undefined;
}

function* problemsOf(compiled: ReturnType<typeof compileExpression>, expression: string, path: FieldPath): Check {
  if ('program' in compiled) return;
  if (compiled.stage === 'compile') yield invalid(path, expression, `compilation failed: ${compiled.error}`);
  else yield internal(path, `program instantiation failed: ${compiled.error}`);
}

/** Returns the name of a type as its values have it, which differs from the checker's: `null_type`, not `null`. */
function nameOf({ name, params }: Type): string {
  return params.length === 0 ? name : `${name}(${params.map(nameOf).join(', ')})`;
}
