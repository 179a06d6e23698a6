import type { Json } from '../api/objects.ts';
import { record, recordsIn } from '../api/objects.ts';
import { parseYaml, readValueOf } from './edited-yaml.ts';

/** A place in a schema that rules may stand at; `*` is each item of a list, or each value of a map. */
export type SchemaPath = readonly string[];

export interface KnownRule {
  readonly place: SchemaPath;
  readonly rule: string;
  readonly message: string;
}

type Raw = Readonly<Record<string, unknown>>;

/** Bounds of what is read of a schema, which users write. */
const MAX_DEPTH = 12;
const MAX_PLACES = 500;

/** Returns the places of a schema, parents first. */
export function placesIn(schema: Raw): SchemaPath[] {
  const places: SchemaPath[] = [];
  const visit = (at: Raw, place: SchemaPath): void => {
    if (places.length >= MAX_PLACES || place.length > MAX_DEPTH) return;
    places.push(place);
    for (const [name, child] of childrenOf(at)) visit(child, [...place, name]);
  };
  visit(schema, []);
  return places;
}

/** Returns the rules that a schema has. */
export function rulesIn(schema: Raw): KnownRule[] {
  return placesIn(schema).flatMap((place) =>
    recordsIn(schemaAt(schema, place)?.['x-kubernetes-validations']).map(({ rule, message }) => ({
      place,
      rule: String(rule ?? ''),
      message: typeof message === 'string' ? message : '',
    })),
  );
}

/** Returns the schema of a place. */
export function schemaAt(schema: Raw, place: SchemaPath): Raw | undefined {
  let at: Raw | undefined = schema;
  for (const name of place) at = at && childrenOf(at).find(([each]) => each === name)?.[1];
  return at;
}

function childrenOf({ properties, items, additionalProperties }: Raw): [string, Raw][] {
  const children = Object.entries(record(properties) ?? {}).flatMap(([name, child]): [string, Raw][] => {
    const found = record(child);
    return found === undefined ? [] : [[name, found]];
  });
  const each = record(items) ?? record(additionalProperties);
  return each === undefined ? children : [...children, ['*', each]];
}

export function placeText(place: SchemaPath): string {
  return place.length === 0 ? 'the object' : place.join('.').replaceAll('.*', '[*]');
}

/** A value at a place of an object, and what was there before. */
export interface ValueAt {
  readonly path: string;
  readonly value: Json;
  readonly before: Json | undefined;
}

const MAX_VALUES = 200;

/** Returns the values at a place, as rules visit them; items of lists have no value before. */
export function valuesAt(object: Json, before: Json | undefined, place: SchemaPath): ValueAt[] {
  let values: ValueAt[] = [{ path: '', value: object, before }];
  for (const name of place) {
    values = values.flatMap((at) => below(at, name)).slice(0, MAX_VALUES);
  }
  return values;
}

function below({ path, value, before }: ValueAt, name: string): ValueAt[] {
  if (Array.isArray(value)) {
    return name === '*'
      ? value.map((each, index) => ({ path: `${path}[${index}]`, value: each, before: undefined }))
      : [];
  }
  const fields = record(value);
  if (fields === undefined) return [];
  const names = name === '*' ? Object.keys(fields) : Object.hasOwn(fields, name) ? [name] : [];
  return names.map((each) => {
    const old = record(before);
    const at = name === '*' ? `${path}[${each}]` : path === '' ? each : `${path}.${each}`;
    return {
      path: at,
      value: fields[each] as Json,
      before: old && Object.hasOwn(old, each) ? (old[each] as Json) : undefined,
    };
  });
}

/** Reads an object that a person wrote; a text says why it cannot. Numbers are as the server reads them. */
export function readObject(text: string): { readonly value: Json } | string {
  const document = parseYaml(text);
  const [error] = document.errors;
  if (error !== undefined) return error.message.split('\n')[0] ?? 'The text is not valid YAML.';
  try {
    return { value: asRead(readValueOf(document)) };
  } catch (problem) {
    return String(problem);
  }
}

/** Only integers that a number cannot hold are `bigint`. */
function asRead(value: Json): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(asRead);
  const fields = record(value);
  if (fields === undefined) return value;
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, asRead(each as Json)]));
}
