import type { Schema, ValidationRule } from '@pintle/machinery/schema';
import { Environment } from '../check/environment.ts';
import { UNBOUNDED } from '../cost/range.ts';
import { kubernetesLibraries } from '../functions/libraries.ts';
import { type Compilation, compileExpression, type Program } from '../program.ts';
import { optionalType } from '../types/type.ts';
import { parseRulePath, type RulePathStep } from './rule-path.ts';
import { celTypeOf, maxRequestBytes, partOf, type SchemaType, structFinder } from './schema-type.ts';

/** A compiled rule of `x-kubernetes-validations`, or its error. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
  /** Path of its errors, relative to the value. */
  readonly path: readonly RulePathStep[];
}

/** Name of the type, which is not stable: Kubernetes uses another number each time. */
const selfTypeName = 'selfType1';

/** A rule that is compiled when first used, because a schema may have thousands. */
export interface LazyRule {
  /** Approximate cost of compiling it now; 0 once compiled. */
  readonly pendingCost: number;
  compiled(): CompiledRule;
}

/** Returns the rules of a schema. `schema` is where they are, `type` is the type of `self`. */
export function compileRules(rules: readonly ValidationRule[], schema: Schema, type: SchemaType): readonly LazyRule[] {
  const environments = new Environments(type);
  return rules.map((rule) => new PendingRule(rule, schema, environments));
}

/** Cost of compiling one character: about half a microsecond. */
const costPerCharacter = 5;

class PendingRule implements LazyRule {
  readonly #rule: ValidationRule;
  readonly #schema: Schema;
  readonly #environments: Environments;
  #compiled: CompiledRule | undefined;

  constructor(rule: ValidationRule, schema: Schema, environments: Environments) {
    this.#rule = rule;
    this.#schema = schema;
    this.#environments = environments;
  }

  get pendingCost(): number {
    if (this.#compiled !== undefined) return 0;
    const { rule, messageExpression = '' } = this.#rule;
    return (rule.length + messageExpression.length) * costPerCharacter;
  }

  compiled(): CompiledRule {
    this.#compiled ??= compileRule(this.#rule, this.#schema, this.#environments);
    return this.#compiled;
  }
}

/** The two environments of a schema, created when needed: with a plain or an optional `oldSelf`. */
class Environments {
  readonly #type: SchemaType;
  #plain: Environment | undefined;
  #optional: Environment | undefined;

  constructor(type: SchemaType) {
    this.#type = type;
  }

  for({ optionalOldSelf }: ValidationRule): Environment {
    if (optionalOldSelf) this.#optional ??= ruleEnvironmentOf(this.#type, true);
    else this.#plain ??= ruleEnvironmentOf(this.#type);
    return (optionalOldSelf ? this.#optional : this.#plain)!;
  }
}

/** Returns the environment of rules for values of a type. */
export function ruleEnvironmentOf(type: SchemaType, isOldSelfOptional = false): Environment {
  const self = celTypeOf(type, selfTypeName);
  return new Environment({
    variables: { self, oldSelf: isOldSelfOptional ? optionalType(self) : self },
    libraries: kubernetesLibraries,
    findStruct: structFinder(type, selfTypeName),
  });
}

function compileRule(rule: ValidationRule, schema: Schema, environments: Environments): CompiledRule {
  const nothing = {
    rule,
    program: undefined,
    message: undefined,
    messageError: undefined,
    usesOldSelf: false,
    path: [],
  };
  if (rule.rule.trim() === '') return { ...nothing, error: undefined };
  const environment = environments.for(rule);
  const compiled = compileExpression(rule.rule, environment);
  if (!('program' in compiled))
    return { ...nothing, error: describe(compiled, 'compilation', 'program instantiation') };
  const { program } = compiled;
  if (program.type.kind !== 'bool') return { ...nothing, error: 'cel expression must evaluate to a bool' };
  const path = rule.fieldPath === undefined ? [] : parseRulePath(rule.fieldPath, schema);
  const usesOldSelf = program.uses('oldSelf');
  return { rule, program, error: undefined, usesOldSelf, path, ...compileMessage(rule.messageExpression, environment) };
}

function compileMessage(
  source: string | undefined,
  environment: Environment,
): Pick<CompiledRule, 'message' | 'messageError'> {
  if (source === undefined || source === '') return { message: undefined, messageError: undefined };
  const compiled = compileExpression(source, environment);
  if (!('program' in compiled)) {
    const messageError = describe(compiled, 'messageExpression compilation', 'messageExpression instantiation');
    return { message: undefined, messageError };
  }
  if (compiled.program.type.kind !== 'string') {
    return { message: undefined, messageError: 'messageExpression must evaluate to a string' };
  }
  return { message: compiled.program, messageError: undefined };
}

type Failure = Exclude<Compilation, { readonly program: Program }>;

function describe({ stage, error }: Failure, compiling: string, instantiating: string): string {
  return `${stage === 'compile' ? compiling : instantiating} failed: ${error}`;
}

/** Returns the maximum cost of an expression for one value. */
export function maxCostOf(program: Program, root: SchemaType): number {
  return program.estimateCost((path) => {
    let current: SchemaType | undefined = root;
    for (const part of path.slice(1)) {
      if (current === undefined) return undefined;
      // Keys of maps are strings of unknown length.
      if (part === '@keys') return current.shape.kind === 'map' && path.at(-1) === '@keys' ? 0 : undefined;
      current = partOf(current, part);
    }
    return current?.maxElements;
  }).max;
}

/** Returns how many values of the type fit into one request. */
export function maxCardinality({ minSize }: SchemaType): number {
  return Math.floor(maxRequestBytes / (minSize + 1));
}

export function timesCardinality(cost: number, cardinality: number): number {
  return Math.min(cost * cardinality, UNBOUNDED);
}
