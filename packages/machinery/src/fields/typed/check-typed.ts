import type { JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldsError, type TypedProblem } from '../fields-error.ts';
import { printAsSource, printPlain, typeName } from '../go-print.ts';
import { type ElementId, elementOf, fieldId, formatElement } from '../set/path-element.ts';
import { itemId, refuseTooMany } from './list-items.ts';
import { type ListView, type MapView, type ScalarKind, type TypeView, viewOf } from './type-view.ts';
import { listIn, mapIn, treatmentOf } from './values.ts';

/** Most problems that are reported. */
const MAX_PROBLEMS = 100;

/**
 * Checks that a configuration can be applied: its values have the types of its schema, no field is unknown, and no item
 * of a set or a map list is repeated. Throws `FieldsError` with the problems in Kubernetes' words. `refusesNull`: null
 * fits no type; by default it fits all. `allowsDuplicates`: items may be repeated, as in an object that was never
 * applied.
 */
export function checkTyped(
  value: JsonValue,
  schema: Schema | undefined,
  { refusesNull = false, allowsDuplicates = false }: CheckOptions = {},
): void {
  const check = new Check(refusesNull, allowsDuplicates);
  check.value(value, viewOf(schema));
  if (check.problems.length > 0) throw new FieldsError({ code: 'NotTyped', problems: check.problems });
}

interface CheckOptions {
  readonly refusesNull?: boolean;
  readonly allowsDuplicates?: boolean;
}

/** True when a part of a configuration fits its type. */
export function isTyped(value: JsonValue, type: TypeView): boolean {
  const check = new Check(false, false);
  check.value(value, type);
  return check.problems.length === 0;
}

export function isTypedScalar(value: JsonValue, type: TypeView): boolean {
  return value === null || problemOfScalar(value, type.scalar ?? 'untyped') === undefined;
}

/** A field, an item by its identity, or an index. */
type Step = ElementId | number;

class Check {
  readonly problems: TypedProblem[] = [];
  /** The current path. */
  readonly #path: Step[] = [];
  readonly #refusesNull: boolean;
  readonly #allowsDuplicates: boolean;

  constructor(refusesNull: boolean, allowsDuplicates: boolean) {
    this.#refusesNull = refusesNull;
    this.#allowsDuplicates = allowsDuplicates;
  }

  value(value: JsonValue, type: TypeView): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    if (value === null) {
      if (this.#refusesNull) this.#add(problemOfNull(type));
      return;
    }
    const treatment = treatmentOf(value, type);
    if (treatment.as === 'map') this.#map(value, treatment);
    else if (treatment.as === 'list') this.#list(value, treatment);
    else this.#scalar(value, type.scalar ?? 'untyped');
  }

  #map(value: JsonValue, map: MapView): void {
    const object = mapIn(value);
    if (object === undefined) this.#add(`expected map, got &{${printPlain(value)}}`);
    for (const name in object) {
      const member = object[name];
      if (member === undefined) continue;
      const type = map.fields.get(name) ?? map.rest;
      if (type === undefined) {
        // Stops at the first unknown field of an object: the others may be valid under another schema.
        this.#add('field not declared in schema', fieldId(name));
        return;
      }
      this.#inside(fieldId(name), member, type);
    }
  }

  #list(value: JsonValue, list: ListView): void {
    const items = listIn(value);
    if (items === undefined) this.#add(`expected list, got &{${printPlain(value)}}`);
    else if (list.sharing !== 'atomic') this.#items(items, list);
    else for (const [i, item] of items.entries()) this.#inside(i, item, list.item);
  }

  #items(items: readonly JsonValue[], list: ListView): void {
    const seen = new Set<ElementId>();
    for (const [i, item] of items.entries()) {
      const id = itemId(list, item);
      if (typeof id !== 'string') {
        this.#add(`element ${i}: ${id.problem}`);
        return;
      }
      if (seen.has(id) && !this.#allowsDuplicates)
        this.#add(`duplicate entries for key ${formatElement(elementOf(id))}`);
      seen.add(id);
      refuseTooMany(seen.size);
      this.#inside(id, item, list.item);
    }
  }

  #inside(step: Step, value: JsonValue, type: TypeView): void {
    this.#path.push(step);
    this.value(value, type);
    this.#path.pop();
  }

  #scalar(value: JsonValue, kind: ScalarKind): void {
    const problem = problemOfScalar(value, kind);
    if (problem !== undefined) this.#add(problem);
  }

  #add(problem: string, ...more: Step[]): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({ path: [...this.#path, ...more].map(formatStep).join(''), problem });
  }
}

function formatStep(step: Step): string {
  return typeof step === 'number' ? `[${step}]` : formatElement(elementOf(step));
}

/** In `structured-merge-diff` null is a type with a name and a number. */
function problemOfNull(type: TypeView): string {
  const { as } = treatmentOf(null, type);
  if (as === 'map' || as === 'list') return `expected ${as}, got &{NULL_VALUE}`;
  switch (type.scalar) {
    case 'string':
      return 'expected string, got &value.valueUnstructured{Value:0}';
    case 'numeric':
      return 'expected numeric (int or float), got structpb.NullValue';
    case 'boolean':
      return 'expected boolean, got &{NULL_VALUE}';
    default:
      return 'expected any scalar, got &{NULL_VALUE}';
  }
}

function problemOfScalar(value: JsonValue, kind: ScalarKind): string | undefined {
  const type = typeof value === 'bigint' ? 'number' : typeof value;
  switch (kind) {
    case 'numeric':
      return type === 'number' ? undefined : `expected numeric (int or float), got ${typeName(value)}`;
    case 'string':
      return type === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${printAsSource(value)}}`;
    case 'boolean':
      return type === 'boolean' ? undefined : `expected boolean, got &{${printPlain(value)}}`;
    case 'untyped':
      return type === 'object' ? `expected any scalar, got &{${printPlain(value)}}` : undefined;
  }
}
