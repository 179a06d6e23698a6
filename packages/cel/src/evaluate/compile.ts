import { type CheckedExpression, type Reference, typeOf } from '../check/checked.ts';
import type { Environment } from '../check/environment.ts';
import { callCost } from '../cost/call-cost.ts';
import { resultSurchargeOf } from '../cost/surcharges.ts';
import { conversionNames } from '../functions/conversions.ts';
import { guardOf, type Overload } from '../functions/declare.ts';
import { operatorError } from '../functions/operator-traits.ts';
import { compilePatternLiteral } from '../functions/regex.ts';
import type { Call, CreateList, CreateMap, CreateStruct, Expr, LiteralValue, Select } from '../syntax/ast.ts';
import { isOptional } from '../types/type.ts';
import { typeNameOf } from '../values/describe.ts';
import { namedOptional } from '../values/dynamic-value.ts';
import { fieldName } from '../values/field-name.ts';
import { ArrayList, emptyList, ListValue } from '../values/list.ts';
import { isKey, keyOf, LiteralMap, MapValue } from '../values/map.ts';
import {
  CelError,
  Double,
  isError,
  noSuchOverload,
  OptionalValue,
  TypeValue,
  Uint,
  type Value,
} from '../values/value.ts';
import { compileComprehension } from './comprehensions.ts';
import { withShortcut } from './fast-operators.ts';
import { Frame, type Step } from './frame.ts';

/** Thrown within a compilation when a constant part has no value. */
export class ConstantError extends Error {
  override readonly name = 'ConstantError';
}

/** An expression that is ready to be evaluated. */
export interface CompiledExpression {
  readonly step: Step;
  readonly slotCount: number;
  /** Variables that it uses and their slots. */
  readonly variables: readonly (readonly [name: string, slot: number])[];
}

/** Compiles a checked expression to closures, whose evaluation allocates little and looks up no names. */
export function compile(checked: CheckedExpression, environment: Environment): CompiledExpression {
  const compiler = new Compiler(checked, environment);
  const step = compiler.compile(checked.expr);
  return { step, slotCount: compiler.slotCount, variables: [...compiler.variables] };
}

/** Steps that return a constant at no cost. */
const constants = new WeakMap<Step, Value>();

export function constant(value: Value): Step {
  const step = () => value;
  constants.set(step, value);
  return step;
}

export class Compiler {
  readonly checked: CheckedExpression;
  readonly #environment: Environment;
  readonly variables = new Map<string, number>();
  readonly #locals: (readonly [name: string, slot: number])[] = [];
  slotCount = 0;

  constructor(checked: CheckedExpression, environment: Environment) {
    this.checked = checked;
    this.#environment = environment;
  }

  compile(expr: Expr): Step {
    switch (expr.kind) {
      case 'literal':
        return constant(literalValue(expr.literal));
      case 'ident':
        return this.#identifier(this.#reference(expr), expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return compileComprehension(expr, this);
    }
  }

  /** Compiles a part with additional local variables. */
  within<T>(names: readonly string[], compile: (slots: readonly number[]) => T): T {
    const slots = names.map(() => this.slotCount++);
    names.forEach((name, index) => {
      this.#locals.push([name, slots[index]!]);
    });
    const compiled = compile(slots);
    this.#locals.length -= names.length;
    return compiled;
  }

  #reference(expr: Expr): Reference {
    return this.checked.references[expr.id]!;
  }

  #identifier(reference: Reference, expr: Expr): Step {
    if (reference.kind === 'type') return constant(new TypeValue(reference.type.name));
    if (reference.kind === 'function') return constant(noSuchOverload);
    const { name, isLocal } = reference;
    const slot = isLocal ? this.#locals.findLast(([local]) => local === name)![1] : this.#variableSlot(name);
    if (isOptional(typeOf(this.checked, expr))) {
      return (frame) => {
        frame.cost++;
        return namedOptional(frame.slots[slot]!);
      };
    }
    return (frame) => {
      frame.cost++;
      return frame.slots[slot]!;
    };
  }

  #variableSlot(name: string): number {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const slot = this.slotCount++;
    this.variables.set(name, slot);
    return slot;
  }

  #select(expr: Select): Step {
    const reference = this.checked.references[expr.id];
    if (reference !== undefined) return this.#identifier(reference, expr);
    const operand = this.#operand(expr.operand);
    const name = fieldName(expr.field);
    if (expr.testOnly) return (frame) => isPresent(operand(frame), name);
    const missing = new CelError(`no such key: ${expr.field}`);
    return (frame) => {
      const value = operand(frame);
      if (value instanceof MapValue) {
        frame.cost++;
        const found = value.field(name);
        return found === undefined ? missing : found;
      }
      if (value instanceof OptionalValue) return fieldOfOptional(value, name);
      if (value instanceof ListValue) return namedIndexError;
      return isError(value) ? value : missing;
    };
  }

  /** Compiles the operand of a field. An optional that a function returned is unwrapped, as a named one is. */
  #operand(expr: Expr): Step {
    const step = this.compile(expr);
    const isFunctionResult = expr.kind === 'call' && !accesses.has(expr.name) && isOptional(typeOf(this.checked, expr));
    return isFunctionResult ? (frame) => namedOptional(step(frame)) : step;
  }

  #call(expr: Call): Step {
    switch (expr.name) {
      case '_&&_':
        return logical(this.#all(expr.args), false);
      case '_||_':
        return logical(this.#all(expr.args), true);
      case '_?_:_':
        return conditional(this.#all(expr.args));
      case '_?._':
        return this.#optionalField(expr);
      case '@not_strictly_false': {
        const operand = this.compile(expr.args[0]!);
        return (frame) => {
          frame.cost++;
          return operand(frame) !== false;
        };
      }
      default:
        return this.#function(expr);
    }
  }

  #all(exprs: readonly Expr[]): Step[] {
    return exprs.map((expr) => this.compile(expr));
  }

  #optionalField(expr: Call): Step {
    const operand = this.#operand(expr.args[0]!);
    const field = expr.args[1]!;
    const name = fieldName(field.kind === 'literal' && field.literal.type === 'string' ? field.literal.value : '');
    return (frame) => {
      const value = operand(frame);
      frame.cost++;
      if (value instanceof OptionalValue) return fieldOfOptional(value, name);
      if (!(value instanceof MapValue)) return fieldOfOther(value);
      return toOptional(value.field(name));
    };
  }

  #function(expr: Call): Step {
    const reference = this.#reference(expr);
    if (reference.kind !== 'function') return constant(noSuchOverload);
    const { declaration, overloads, target } = reference;
    const operands = target === undefined ? expr.args : [target, ...expr.args];
    if (declaration.name === 'or' || declaration.name === 'orValue')
      return alternative(this.#all(operands), declaration.name);
    const steps = this.#all(operands);
    this.#checkConstants(declaration.name, steps);
    const only = overloads.length === 1 ? overloads[0]! : undefined;
    if (only?.id === 'in_list') {
      const member = membership(steps);
      if (member !== undefined) return member;
    }
    const call =
      declaration.dynamic ?? (only ? guarded(declaration.name, only) : dispatcher(declaration.name, overloads));
    const cost = callCost(declaration.name, only?.id ?? '');
    const shortcut = withShortcut(only?.id ?? '', steps, (frame, a, b) => apply(frame, call, a, b, cost));
    const step = shortcut ?? withResultSurcharge(declaration.name, invoke(call, steps, cost));
    return this.#folded(declaration.name, step, steps);
  }

  /** Folds conversions of constants, and throws their errors. */
  #folded(name: string, step: Step, operands: readonly Step[]): Step {
    const [operand] = operands;
    if (!conversionNames.has(name) || operand === undefined || !constants.has(operand)) return step;
    const value = step(new Frame([], Number.POSITIVE_INFINITY));
    if (isError(value)) throw new ConstantError(value.message);
    return constant(value);
  }

  #checkConstants(name: string, steps: readonly Step[]): void {
    if (name !== 'matches' && name !== 'find' && name !== 'findAll') return;
    const pattern = steps[1] === undefined ? undefined : constants.get(steps[1]);
    if (typeof pattern !== 'string') return;
    const problem = compilePatternLiteral(pattern);
    if (problem !== undefined) throw new ConstantError(problem);
  }

  #list(expr: CreateList): Step {
    const steps = this.#all(expr.items);
    if (expr.optional.size === 0 && steps.every((step) => constants.has(step))) {
      return constant(steps.length === 0 ? emptyList : new ArrayList(steps.map((step) => constants.get(step)!)));
    }
    return (frame) => {
      const items: Value[] = [];
      for (let index = 0; index < steps.length; index++) {
        const value = steps[index]!(frame);
        if (isError(value)) return value;
        if (!expr.optional.has(index)) items.push(value);
        else if (!(value instanceof OptionalValue)) return notOptional('element', value);
        else if (value.value !== undefined) items.push(value.value);
      }
      frame.charge(listCost);
      return new ArrayList(items);
    };
  }

  #map(expr: CreateMap): Step {
    const steps = expr.entries.map(({ key, value }) => [this.compile(key), this.compile(value)] as const);
    const isConstant = steps.every(([key, value]) => constants.has(key) && constants.has(value));
    const step: Step = (frame) => {
      const entries: (readonly [Value, Value])[] = [];
      for (let index = 0; index < steps.length; index++) {
        const key = steps[index]![0](frame);
        if (isError(key)) return key;
        if (!isKey(key)) return new CelError(`unsupported key type: ${typeNameOf(key)}`);
        const value = steps[index]![1](frame);
        if (isError(value)) return value;
        if (!expr.entries[index]!.optional) entries.push([key, value]);
        else if (!(value instanceof OptionalValue)) return notOptional('value', value);
        else if (value.value !== undefined) entries.push([key, value.value]);
      }
      frame.charge(mapCost);
      return new LiteralMap(entries);
    };
    if (!isConstant || expr.entries.some(({ optional }) => optional)) return step;
    const value = step(new Frame([], Number.POSITIVE_INFINITY));
    return isError(value) ? step : constant(value);
  }

  #struct(expr: CreateStruct): Step {
    const create = this.#environment.struct(typeOf(this.checked, expr).name)?.create;
    if (create === undefined) return constant(new CelError(`unknown type: ${expr.typeName}`));
    const steps = expr.fields.map((field) => [field, this.compile(field.value)] as const);
    return (frame) => {
      const fields: (readonly [string, Value])[] = [];
      for (const [field, step] of steps) {
        const value = step(frame);
        if (isError(value)) return value;
        if (!field.optional) fields.push([field.name, value]);
        else if (!(value instanceof OptionalValue)) return notOptional('field', value);
        else if (value.value !== undefined) fields.push([field.name, value.value]);
      }
      frame.charge(structCost);
      return create(fields);
    };
  }
}

/** Calls that access a part of a named value, as fields do. */
const accesses: ReadonlySet<string> = new Set(['_?._', '_[_]', '_[?_]', '_?_:_']);

const listCost = 10;
const mapCost = 30;
const structCost = 40;

function literalValue(literal: LiteralValue): Value {
  switch (literal.type) {
    case 'null':
      return null;
    case 'double':
      return new Double(literal.value);
    case 'uint':
      return new Uint(literal.value);
    default:
      return literal.value;
  }
}

const namedIndexError = new CelError("unsupported index type 'string' in list");

type FieldReference = ReturnType<typeof fieldName>;

function isPresent(value: Value, name: FieldReference): Value {
  if (value instanceof MapValue) return value.field(name) !== undefined;
  if (value instanceof ListValue) return namedIndexError;
  if (value instanceof OptionalValue) {
    return value.value instanceof MapValue ? value.value.field(name) !== undefined : false;
  }
  return isError(value) ? value : false;
}

/** Values without fields return none. Lists have positions, which have no names. */
function fieldOfOther(value: Value): Value {
  if (value instanceof ListValue) return namedIndexError;
  return isError(value) ? value : OptionalValue.none;
}

function fieldOfOptional({ value }: OptionalValue, name: FieldReference): Value {
  if (value === undefined) return OptionalValue.none;
  return value instanceof MapValue ? toOptional(value.field(name)) : fieldOfOther(value);
}

function toOptional(value: Value | undefined): Value {
  if (value === undefined) return OptionalValue.none;
  return isError(value) ? value : OptionalValue.of(value);
}

function notOptional(what: string, value: Value): CelError {
  return new CelError(`cannot initialize optional list ${what} from non-optional value ${typeNameOf(value)}`);
}

/** Evaluates `&&` and `||`: one deciding operand is enough, at any position; else an error is the result. */
function logical(steps: readonly Step[], decides: boolean): Step {
  return (frame) => {
    let error: CelError | undefined;
    for (let index = 0; index < steps.length; index++) {
      const value = steps[index]!(frame);
      if (value === decides) return decides;
      if (typeof value !== 'boolean') error ??= isError(value) ? value : noSuchOverload;
    }
    return error ?? !decides;
  };
}

function conditional([condition, positive, negative]: readonly Step[]): Step {
  return (frame) => {
    const holds = condition!(frame);
    if (typeof holds === 'boolean') return holds ? positive!(frame) : negative!(frame);
    return isError(holds) ? holds : noSuchOverload;
  };
}

/** Evaluates the argument of `or` and `orValue` only when needed. */
function alternative([optional, other]: readonly Step[], name: 'or' | 'orValue'): Step {
  return (frame) => {
    const value = optional!(frame);
    if (isError(value)) return value;
    if (!(value instanceof OptionalValue)) return name === 'or' ? noSuchOverload : value;
    if (value.value === undefined) return other!(frame);
    return name === 'or' ? value : value.value;
  };
}

/** Evaluates `x in [literals]` by a hash lookup. */
function membership([item, list]: readonly Step[]): Step | undefined {
  const items = constants.get(list!);
  if (!(items instanceof ArrayList)) return undefined;
  const keys = items.items().map(keyOf);
  if (keys.some((key) => key === undefined)) return undefined;
  const set = new Set(keys);
  return (frame) => {
    const value = item!(frame);
    if (isError(value)) return value;
    const key = keyOf(value);
    return key !== undefined && set.has(key);
  };
}

type Callable = (...args: Value[]) => Value;

/** Calls the only overload when the values have its types. */
function guarded(name: string, overload: Overload): Callable {
  const guards = overload.args.map(guardOf);
  // The guards ensure that the implementation gets its declared types.
  const call = overload.call as Callable;
  const [first, second] = guards;
  if (guards.length === 1) return (a) => (first!(a!) ? call(a!) : unmatched(name, [a!]));
  if (guards.length === 2) {
    return (a, b) => (first!(a!) && second!(b!) ? call(a!, b!) : unmatched(name, [a!, b!]));
  }
  return (...args) => (guards.every((guard, index) => guard(args[index]!)) ? call(...args) : unmatched(name, args));
}

function dispatcher(name: string, overloads: readonly Overload[]): Callable {
  const candidates = overloads.map((overload) => ({
    guards: overload.args.map(guardOf),
    call: overload.call as Callable,
  }));
  return (...args) => {
    const match = candidates.find(({ guards }) => guards.every((guard, index) => guard(args[index]!)));
    return match === undefined ? unmatched(name, args) : match.call(...args);
  };
}

/** The oldest functions and operators of supported types report no argument types. */
function unmatched(name: string, args: readonly Value[]): CelError {
  if (/^\W|_/.test(name)) return operatorError(name, args[0]!);
  if (terse.has(name)) return noSuchOverload;
  if (name === 'size' || name === 'sort') return operatorError(name, args[0]!);
  if (name === 'flatten') return new CelError(`no such overload: ${typeNameOf(args[0]!)}.flatten()`);
  return new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

const terse: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'matches', 'find', 'findAll']);

type Cost = ReturnType<typeof callCost>;

function withResultSurcharge(name: string, step: Step): Step {
  const work = resultSurchargeOf(name);
  if (work === undefined) return step;
  return (frame) => {
    const value = step(frame);
    frame.charge(work(value));
    return value;
  };
}

function apply(frame: Frame, call: Callable, a: Value, b: Value, cost: Cost): Value {
  frame.charge(cost === undefined ? 1 : cost([a, b]));
  return call(a, b);
}

function invoke(call: Callable, steps: readonly Step[], cost: Cost): Step {
  const [first, second] = steps;
  if (steps.length === 1) {
    return (frame) => {
      const a = first!(frame);
      if (isError(a)) return a;
      frame.charge(cost === undefined ? 1 : cost([a]));
      return call(a);
    };
  }
  if (steps.length === 2) {
    return (frame) => {
      const a = first!(frame);
      const b = second!(frame);
      if (isError(a)) return a;
      if (isError(b)) return b;
      return apply(frame, call, a, b, cost);
    };
  }
  return (frame) => {
    const args = steps.map((step) => step(frame));
    const error = args.find(isError);
    if (error !== undefined) return error;
    frame.charge(cost === undefined ? 1 : cost(args));
    return call(...args);
  };
}
