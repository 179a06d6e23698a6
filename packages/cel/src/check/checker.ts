import type { Overload } from '../functions/declare.ts';
import {
  type Call,
  type Comprehension,
  type CreateList,
  type CreateMap,
  type CreateStruct,
  type Expr,
  qualifiedName,
  type Select,
} from '../syntax/ast.ts';
import type { Issue } from '../syntax/issues.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isDynOrError,
  isOptional,
  isSameType,
  listType,
  mapType,
  NULL,
  optionalType,
  STRING,
  type Type,
  UINT,
} from '../types/type.ts';
import { Bindings, mostGeneral } from '../types/unify.ts';
import type { CheckedExpression, Reference } from './checked.ts';
import type { Environment } from './environment.ts';

type CheckResult = { readonly checked: CheckedExpression } | { readonly issues: readonly Issue[] };

/** Infers the type of every part of an expression, or returns the issues. */
export function check(source: string, expr: Expr, environment: Environment): CheckResult {
  const checker = new Checker(environment);
  checker.check(expr);
  const { issues } = checker;
  return issues.length > 0 ? { issues } : { checked: { source, expr, ...checker.finish() } };
}

/** Parts of a type: many times more than lists of maps of lists have. */
const maxTypeParts = 1_000;

const literalTypes = { null: NULL, bool: BOOL, int: INT, uint: UINT, double: DOUBLE, string: STRING, bytes: BYTES };

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #bindings = new Bindings();
  readonly #types: (Type | undefined)[] = [];
  readonly #references: (Reference | undefined)[] = [];
  /** Variables of enclosing comprehensions, the innermost last. */
  readonly #locals: (readonly [name: string, type: Type])[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finish(): Pick<CheckedExpression, 'types' | 'references'> {
    const types = this.#types.map((type) => type && this.#bindings.resolve(type, true));
    return { types, references: this.#references };
  }

  check(expr: Expr): Type {
    const found = this.#typeOf(expr);
    const isPlain = found.params.length === 0 && found.kind !== 'param';
    const type = isPlain || this.#bindings.isWithin(maxTypeParts, found) ? found : this.#tooComplex(expr);
    this.#types[expr.id] = type;
    return type;
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalTypes[expr.literal.type];
      case 'ident':
        return this.#identifier(expr, expr.name) ?? this.#undeclared(expr, expr.isRooted ? `.${expr.name}` : expr.name);
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
        return this.#comprehension(expr);
    }
  }

  #report(at: { readonly at: number }, message: string): Type {
    this.issues.push({ at: at.at, message });
    return ERROR;
  }

  #tooComplex(expr: Expr): Type {
    return this.#report(expr, `type of expression exceeds limit of ${maxTypeParts} parts`);
  }

  #undeclared(expr: Expr, name: string): Type {
    return this.#report(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #identifier(expr: Expr, name: string): Type | undefined {
    const local = this.#locals.findLast(([variable]) => variable === name);
    if (local !== undefined) {
      this.#references[expr.id] = { kind: 'variable', name, isLocal: true };
      return local[1];
    }
    const variable = this.#environment.variable(name);
    if (variable !== undefined) {
      this.#references[expr.id] = { kind: 'variable', name, isLocal: false };
      return variable;
    }
    const type = this.#environment.typeNamed(name);
    if (type !== undefined) this.#references[expr.id] = { kind: 'type', type };
    return this.#environment.identifier(name);
  }

  /** Resolves `a.b` as a qualified name first, then as a field. */
  #select(expr: Select): Type {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#identifier(expr, name);
    if (named !== undefined) return named;
    const type = this.#field(expr, expr.operand, expr.field, false);
    return expr.testOnly ? BOOL : this.#bindings.resolve(type);
  }

  #field(expr: Expr, operand: Expr, field: string, isOptionalAccess: boolean): Type {
    const operandType = this.#bindings.resolve(this.check(operand));
    const fromOptional = isOptional(operandType);
    const target = fromOptional ? operandType.params[0]! : operandType;
    const result = this.#fieldOf(expr, target, field);
    return fromOptional || isOptionalAccess ? optionalType(result) : result;
  }

  #fieldOf(expr: Expr, target: Type, field: string): Type {
    if (target.kind === 'map') return target.params[1]!;
    if (target.kind === 'struct') return this.#structField(expr, target.name, field);
    if (target.kind === 'param') this.#bindings.isAssignable(DYN, target);
    else if (!isDynOrError(target)) this.#report(expr, `type '${formatType(target)}' does not support field selection`);
    return DYN;
  }

  #structField(at: { readonly at: number }, typeName: string, field: string): Type {
    const struct = this.#environment.struct(typeName);
    if (struct === undefined) return this.#report(at, `unexpected failed resolution of '${typeName}'`);
    return struct.field(field) ?? this.#report(at, `undefined field '${field}'`);
  }

  #call(expr: Call): Type {
    if (expr.name === '_?._') return this.#optionalField(expr);
    const args = expr.args.map((arg) => this.check(arg));
    if (expr.name === '_&&_' || expr.name === '_||_') return this.#logical(expr, args);
    if (expr.target === undefined) return this.#apply(expr, expr.name, undefined, args);
    const prefix = qualifiedName(expr.target);
    const full = prefix === undefined ? undefined : `${prefix}.${expr.name}`;
    if (full !== undefined && this.#environment.function(full) !== undefined) {
      return this.#apply(expr, full, undefined, args);
    }
    return this.#apply(expr, expr.name, expr.target, [this.check(expr.target), ...args]);
  }

  #optionalField(expr: Call): Type {
    const [operand, field] = expr.args;
    const name = field?.kind === 'literal' && field.literal.type === 'string' ? field.literal.value : '';
    const declaration = this.#environment.function('_?._');
    if (declaration === undefined) return this.#undeclared(expr, '_?._');
    const type = this.#field(expr, operand!, name, true);
    this.#types[field!.id] = STRING;
    const { overloads } = declaration;
    this.#references[expr.id] = { kind: 'function', declaration, overloads, target: undefined };
    return this.#bindings.resolve(type);
  }

  #logical(expr: Call, args: readonly Type[]): Type {
    let isFine = true;
    for (const [index, type] of args.entries()) {
      if (this.#bindings.isAssignable(type, BOOL)) continue;
      this.#mismatch(expr.args[index]!, BOOL, type);
      isFine = false;
    }
    if (!isFine) return ERROR;
    const declaration = this.#environment.function(expr.name)!;
    const { overloads } = declaration;
    this.#references[expr.id] = { kind: 'function', declaration, overloads, target: undefined };
    return BOOL;
  }

  #mismatch(at: { readonly at: number }, expected: Type, found: Type): Type {
    return this.#report(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #apply(expr: Call, name: string, target: Expr | undefined, args: readonly Type[]): Type {
    const declaration = this.#environment.function(name);
    if (declaration === undefined) return this.#undeclared(expr, name);
    const overloads: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const { args: expected, result: promised } = this.#instantiate(overload);
      if (!this.#bindings.areAssignable(args, expected)) continue;
      overloads.push(overload);
      const found = this.#bindings.resolve(promised);
      if (result === undefined) result = found;
      else if (result.kind !== 'dyn' && !isSameType(result, found)) result = DYN;
    }
    if (result === undefined) return this.#noOverload(expr, name, target !== undefined, args);
    this.#references[expr.id] = { kind: 'function', declaration, overloads, target };
    return result;
  }

  #noOverload(expr: Call, name: string, isMember: boolean, args: readonly Type[]): Type {
    const shown = args.map((arg) => formatType(this.#bindings.resolve(arg, true)));
    const receiver = isMember ? `${shown.shift()}.` : '';
    const message = `found no matching overload for '${name}' applied to '${receiver}(${shown.join(', ')})'`;
    return this.#report(expr, message);
  }

  /** Returns the overload's types with fresh type parameters. */
  #instantiate({ args, result }: Overload): { readonly args: readonly Type[]; readonly result: Type } {
    const own = new Map<string, Type>();
    const rename = (type: Type): Type => {
      if (type.kind === 'param') {
        const known = own.get(type.name) ?? this.#bindings.newParameter();
        own.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
    };
    return { args: args.map(rename), result: rename(result) };
  }

  #list(expr: CreateList): Type {
    let items: Type | undefined;
    for (const [index, item] of expr.items.entries()) {
      const type = this.#present(item, this.check(item), expr.optional.has(index));
      items = this.#join(items, type);
    }
    return listType(items ?? this.#bindings.newParameter());
  }

  #map(expr: CreateMap): Type {
    let keys: Type | undefined;
    let values: Type | undefined;
    for (const { key, value, optional } of expr.entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#present(value, this.check(value), optional));
    }
    return mapType(keys ?? this.#bindings.newParameter(), values ?? this.#bindings.newParameter());
  }

  /** Returns the type that `?item` adds when it has a value. */
  #present(expr: Expr, type: Type, isMarkedOptional: boolean): Type {
    if (!isMarkedOptional) return type;
    if (isOptional(type)) return type.params[0]!;
    if (type.kind !== 'dyn') this.#mismatch(expr, optionalType(type), type);
    return type;
  }

  #join(before: Type | undefined, next: Type): Type {
    if (before === undefined) return next;
    return this.#bindings.isAssignable(before, next) ? mostGeneral(before, next) : DYN;
  }

  #struct(expr: CreateStruct): Type {
    const named = this.#environment.typeNamed(expr.typeName);
    if (named === undefined) {
      if (this.#environment.variable(expr.typeName) !== undefined)
        return this.#report(expr, `'${expr.typeName}' is not a type`);
      return this.#undeclared(expr, expr.typeName);
    }
    if (named.kind !== 'struct') return this.#report(expr, `'${named.name}' is not a message type`);
    for (const field of expr.fields) {
      const expected = this.#structField(field, named.name, field.name);
      const given = this.#present(field.value, this.check(field.value), field.optional);
      if (this.#bindings.isAssignable(expected, given)) continue;
      const types = `is '${formatType(expected)}' but provided type is '${formatType(given)}'`;
      this.#report(field, `expected type of field '${field.name}' ${types}`);
    }
    this.#references[expr.id] = { kind: 'type', type: named };
    return named;
  }

  #comprehension(expr: Comprehension): Type {
    const range = this.#bindings.resolve(this.check(expr.range));
    const accumulator = this.check(expr.init);
    const [first, second] = this.#variableTypes(expr, range);
    this.#locals.push([expr.accumulator, accumulator], [expr.variable, first]);
    if (expr.variable2 !== undefined) this.#locals.push([expr.variable2, second]);
    this.#expect(expr.condition, BOOL);
    this.#expect(expr.step, accumulator);
    this.#locals.length -= expr.variable2 === undefined ? 1 : 2;
    const result = this.check(expr.result);
    this.#locals.length -= 1;
    return this.#bindings.resolve(result);
  }

  /** Returns the types of loop variables: items or keys; with two, positions and items, or keys and values. */
  #variableTypes(expr: Comprehension, range: Type): readonly [Type, Type] {
    const hasTwo = expr.variable2 !== undefined;
    if (range.kind === 'list') return hasTwo ? [INT, range.params[0]!] : [range.params[0]!, DYN];
    if (range.kind === 'map') return [range.params[0]!, range.params[1]!];
    if (range.kind === 'param') this.#bindings.isAssignable(DYN, range);
    if (isDynOrError(range) || range.kind === 'param') return [DYN, DYN];
    const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.#report(expr.range, message);
    return [ERROR, ERROR];
  }

  #expect(expr: Expr, type: Type): void {
    const found = this.check(expr);
    if (!this.#bindings.isAssignable(type, found)) this.#mismatch(expr, type, found);
  }
}
