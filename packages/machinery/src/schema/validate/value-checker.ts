import { invalid, quote, required, tooMany } from '../../errors/index.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { FormatCheck } from '../formats/index.ts';
import type { Schema } from '../schema.ts';
import { listTypeOf } from '../schema-node.ts';
import { type CombinatorCheck, combinatorCheck } from './combinators.ts';
import { type EnumCheck, enumCheck } from './enums.ts';
import { listMapIndex } from './list-keys.ts';
import { type NumberCheck, numberCheck } from './numbers.ts';
import type { ValidationRun } from './run.ts';
import { type StringCheck, stringCheck, stringFormatCheck } from './strings.ts';
import { kindOf, type TypeCheck, typeCheck, typesOf } from './types.ts';
import { isUnchanged } from './unchanged.ts';

/** Cost of checking a format, for each character, as if it were a pattern of this size. */
const FORMAT_SIZE = 3;

/**
 * Checks values against one schema: everything but list keys, embedded objects and CEL rules. Messages, the choice of
 * reported errors and the count of matches are those of Kubernetes' validator.
 *
 * `previous` is the previous value at the same path, where the two can be correlated. Errors that it had already are
 * not reported when nothing has changed.
 */
export class ValueChecker {
  readonly #schema: Schema;
  readonly #types: readonly string[];
  readonly #type: TypeCheck | undefined;
  readonly #string: StringCheck | undefined;
  readonly #format: FormatCheck | undefined;
  readonly #number: NumberCheck;
  readonly #enum: EnumCheck | undefined;
  #combinators: CombinatorCheck | undefined;
  #properties: ReadonlyMap<string, ValueChecker> | undefined;
  #values: ValueChecker | undefined;
  #items: ValueChecker | undefined;

  static of(schema: Schema): ValueChecker {
    const known = checkers.get(schema);
    if (known !== undefined) return known;
    const checker = new ValueChecker(schema);
    checkers.set(schema, checker);
    checker.#connect();
    return checker;
  }

  private constructor(schema: Schema) {
    this.#schema = schema;
    this.#types = typesOf(schema);
    this.#type = typeCheck(schema);
    this.#string = stringCheck(schema);
    this.#format = stringFormatCheck(schema);
    this.#number = numberCheck(schema);
    this.#enum = enumCheck(schema);
  }

  /** Checks a value. Reports nothing if the value is unchanged. */
  check(value: JsonValue, previous: JsonValue | undefined, run: ValidationRun): void {
    if (previous === undefined) {
      this.checkValue(value, undefined, run);
      return;
    }
    const { failures, errors, changed } = run;
    const listed = errors.length;
    run.changed = false;
    this.checkValue(value, previous, run);
    if (run.failures > failures) {
      run.changed ||= !isUnchanged(this.#schema, value, previous);
      if (!run.changed) run.dropSince(failures, listed);
    }
    run.changed ||= changed;
  }

  /** Checks a value whether or not it has changed: the caller, or an ancestor, compares it with the previous one. */
  checkValue(value: JsonValue, previous: JsonValue | undefined, run: ValidationRun): void {
    run.step();
    if (value === null) {
      this.#checkNull(run);
      return;
    }
    const kind = kindOf(value);
    if (this.#type !== undefined) run.matches += this.#type(value, kind, run) ? 2 : 1;
    this.#combinators?.(value, run);
    run.matches += 4;
    if (kind === 'string') this.#checkString(value as string, run);
    else if (kind === 'integer' || kind === 'number') this.#checkNumber(value as number | bigint, run);
    else if (kind === 'array') this.#checkItems(value as JsonValue[], previous, run);
    this.#enum?.(value, run);
    if (kind === 'object') this.#checkFields(value as JsonObject, previous, run);
  }

  #connect(): void {
    const { properties, additionalProperties, items } = this.#schema;
    this.#combinators = combinatorCheck(this.#schema);
    if (properties !== undefined) {
      this.#properties = new Map(Object.entries(properties).map(([name, schema]) => [name, ValueChecker.of(schema)]));
    }
    if (typeof additionalProperties === 'object') this.#values = ValueChecker.of(additionalProperties);
    if (items !== undefined) this.#items = ValueChecker.of(items);
  }

  #checkNull(run: ValidationRun): void {
    if (this.#types.length === 0 || this.#schema.nullable || this.#types.includes('null')) run.matches++;
    else run.wrongType(this.#types.join(','), 'null');
    this.#enum?.(null, run);
  }

  #checkString(value: string, run: ValidationRun): void {
    run.matches++;
    this.#string?.(value, run);
    if (this.#format === undefined) return;
    run.matches++;
    run.chargeMatch(value.length, FORMAT_SIZE);
    if (!this.#format(value)) run.wrongType(this.#schema.format!, value);
  }

  #checkNumber(value: number | bigint, run: ValidationRun): void {
    run.matches += 2;
    this.#number(value, run);
  }

  #checkItems(items: JsonValue[], previous: JsonValue | undefined, run: ValidationRun): void {
    run.matches += 2;
    const { minItems, maxItems, uniqueItems } = this.#schema;
    if (this.#items !== undefined) this.#checkEachItem(items, this.#items, previous, run);
    if (minItems !== undefined && items.length < minItems) run.report(tooFew(items.length, minItems, 'items'));
    if (maxItems !== undefined && items.length > maxItems) {
      run.report((field) => tooMany(field, items.length, maxItems));
    }
    if (uniqueItems && new Set(items.map(canonicalJson)).size < items.length) {
      run.invalid('', "shouldn't contain duplicates");
    }
  }

  #checkEachItem(items: JsonValue[], checker: ValueChecker, previous: JsonValue | undefined, run: ValidationRun): void {
    const isKeyed = Array.isArray(previous) && listTypeOf(this.#schema) === 'map';
    const previousItem = isKeyed ? listMapIndex(previous, this.#schema.listMapKeys ?? []) : undefined;
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      run.path.push(index);
      checker.check(item, previousItem?.(item), run);
      run.path.pop();
    }
  }

  #checkFields(object: JsonObject, previous: JsonValue | undefined, run: ValidationRun): void {
    run.matches++;
    // Kubernetes visits fields in the order of their names, not of the document.
    const names = Object.keys(object).sort();
    this.#checkSize(names.length, run);
    const before = isJsonObject(previous) ? previous : undefined;
    for (const name of names) {
      const property = this.#properties?.get(name);
      if (property !== undefined) this.#checkField(name, name, object, property, before, run);
      else if (this.#schema.additionalProperties === false) this.#forbid(name, run);
      else if (this.#values !== undefined) {
        const step = run.path.depth === 0 ? `.${name}` : name;
        this.#checkField(step, name, object, this.#values, before, run);
      }
    }
    for (const name of this.#schema.required ?? []) {
      if (!Object.hasOwn(object, name)) run.report(() => required(run.fieldOf(run.path.child(name)), ''));
    }
  }

  #checkField(
    step: string,
    name: string,
    object: JsonObject,
    checker: ValueChecker,
    before: JsonObject | undefined,
    run: ValidationRun,
  ): void {
    // apiVersion and kind never count as unchanged: both objects were converted to them.
    const isTypeField = run.path.depth === 0 && (name === 'kind' || name === 'apiVersion');
    const previous = before !== undefined && !isTypeField && Object.hasOwn(before, name) ? before[name] : undefined;
    run.path.push(step);
    checker.check(object[name]!, previous, run);
    run.path.pop();
  }

  #checkSize(size: number, run: ValidationRun): void {
    const { minProperties, maxProperties } = this.#schema;
    if (minProperties !== undefined && size < minProperties) run.report(tooFew(size, minProperties, 'properties'));
    if (maxProperties !== undefined && size > maxProperties) {
      run.report((field) => tooMany(field, size, maxProperties));
    }
  }

  #forbid(name: string, run: ValidationRun): void {
    run.report((field, at) => ({
      reason: 'FieldValueInvalid',
      field,
      body: `Invalid value: ${quote(name)}: ${at}.${name} in body is a forbidden property`,
    }));
  }
}

const checkers = new WeakMap<Schema, ValueChecker>();

function tooFew(size: number, least: number, noun: 'items' | 'properties') {
  return (field: string, at: string) => invalid(field, size, `${at} in body should have at least ${least} ${noun}`);
}
