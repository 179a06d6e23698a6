import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldsError, type TypedProblem } from '../fields-error.ts';
import { printAsSource, printPlain, typeName } from '../go-print.ts';
import { type ElementId, elementOf, formatElement } from '../set/path-element.ts';
import { itemId } from './list-items.ts';
import {
  fieldView,
  isAllowed,
  type ListView,
  type MapView,
  type ScalarKind,
  type TypeView,
  viewOf,
} from './type-view.ts';
import { treatmentOf } from './values.ts';

/** More would tell nobody anything. */
const MAX_PROBLEMS = 100;

/**
 * Makes sure that a configuration can be applied: its values are of the kinds its schema names, no field is unknown, and
 * no item of a set or a map list comes twice. Throws `FieldsError` that lists what is wrong in Kubernetes' words.
 */
export function checkTyped(value: JsonValue, schema: Schema | undefined): void {
  const problems: TypedProblem[] = [];
  new Check(problems).value(value, viewOf(schema), '');
  if (problems.length > 0) throw new FieldsError({ code: 'NotTyped', problems });
}

class Check {
  readonly #problems: TypedProblem[];

  constructor(problems: TypedProblem[]) {
    this.#problems = problems;
  }

  value(value: JsonValue, type: TypeView, path: string): void {
    if (value === null || this.#problems.length >= MAX_PROBLEMS) return;
    const treatment = treatmentOf(value, type);
    if (treatment.as === 'map') this.#map(value, treatment.map, path);
    else if (treatment.as === 'list') this.#list(value, treatment.list, path);
    else this.#scalar(value, type.scalar ?? 'untyped', path);
  }

  #map(value: JsonValue, map: MapView, path: string): void {
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.#add(path, `expected map, got &{${printPlain(value)}}`);
      return;
    }
    const object: JsonObject = value ?? {};
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (member === undefined) continue;
      // One unknown field ends the look at an object: the others may be fine under another schema.
      if (!isAllowed(map, name)) {
        this.#add(`${path}.${name}`, 'field not declared in schema');
        return;
      }
      this.value(member, fieldView(map, name), `${path}.${name}`);
    }
  }

  #list(value: JsonValue, list: ListView, path: string): void {
    if (!Array.isArray(value)) {
      this.#add(path, `expected list, got &{${printPlain(value)}}`);
      return;
    }
    if (list.sharing === 'atomic') {
      value.forEach((item, i) => {
        this.value(item, list.item, `${path}[${i}]`);
      });
      return;
    }
    const seen = new Set<ElementId>();
    for (const [i, item] of value.entries()) {
      const id = itemId(list, item);
      if (typeof id !== 'string') {
        this.#add(path, `element ${i}: ${id.problem}`);
        return;
      }
      const shown = formatElement(elementOf(id));
      if (seen.has(id)) this.#add(path, `duplicate entries for key ${shown}`);
      seen.add(id);
      this.value(item, list.item, path + shown);
    }
  }

  #scalar(value: JsonValue, kind: ScalarKind, path: string): void {
    const problem = problemOfScalar(value, kind);
    if (problem !== undefined) this.#add(path, problem);
  }

  #add(path: string, problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ path, problem });
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
