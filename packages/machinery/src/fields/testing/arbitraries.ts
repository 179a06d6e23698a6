import fc from 'fast-check';
import { type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import { elementId, type FieldPath, type PathElement } from '../set/path-element.ts';

/** Few names, so that values often share them; some are names of `Object.prototype`. */
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const text = fc.constantFrom('1', '2', '3');

function record<T extends JsonValue>(values: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(name, values), { maxLength: 4 }).map((entries) => {
    const made: JsonObject = {};
    for (const [key, value] of entries) setOwn(made, key, value);
    return made;
  });
}

function itemsBy(key: string, item: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> {
  return fc.uniqueArray(item, { maxLength: 3, selector: (value) => JSON.stringify(value[key]) });
}

function some<T extends Record<string, fc.Arbitrary<JsonValue>>>(fields: T, requiredKeys: (keyof T & string)[] = []) {
  return fc.record(fields, { requiredKeys: requiredKeys as never[] }) as fc.Arbitrary<JsonObject>;
}

const variables = itemsBy('name', some({ name, value: text }, ['name']));
const ports = itemsBy('port', some({ port: fc.integer({ min: 1, max: 3 }), name: text }, ['port']));
const containers = itemsBy(
  'name',
  some({ name, image: text, args: fc.array(text, { maxLength: 2 }), env: variables, ports }, ['name']),
);

const free = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, text, fc.array(text, { maxLength: 2 }), record(tie('value'))),
})).value;

/** A configuration of `thingSchema`'s kind, without empty objects and lists where they would be dropped. */
export const configuration: fc.Arbitrary<JsonObject> = some({
  spec: some({
    replicas: fc.integer({ min: 0, max: 2 }),
    selector: some({ matchLabels: record(text) }),
    strategy: some({ type: text, parameters: some({ surge: fc.integer({ min: 0, max: 2 }) }) }),
    containers,
    tags: fc.uniqueArray(text, { maxLength: 3 }),
    free: record(free),
  }),
  data: record(text),
}).map((body) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' }, ...body }));

/** Configurations with empty objects and lists, which set few fields or none. */
export const emptied: fc.Arbitrary<JsonObject> = some({
  spec: some({
    selector: fc.constant({}),
    strategy: fc.constant({}),
    containers: fc.constantFrom<JsonValue>([], [{ name: 'a', env: [] }]),
    tags: fc.constant([]),
    free: fc.constantFrom<JsonValue>({}, { a: [] }, { a: {} }),
  }),
  data: fc.constant({}),
}).map((body) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' }, ...body }));

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc
    .oneof(name, fc.string({ maxLength: 4 }), fc.constantFrom('\0', '\0k:{}', '.', 'f:', '😀', '\uffff'))
    .map((field) => ({ field })),
  fc
    .dictionary(fc.constantFrom('name', 'port', '__proto__'), fc.oneof(fc.string({ maxLength: 3 }), fc.integer()), {
      minKeys: 1,
    })
    .map((key) => ({ key })),
  fc
    .oneof<fc.Arbitrary<JsonValue>[]>(
      fc.string({ maxLength: 4 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(9007199254740993n),
    )
    .map((value) => ({ value })),
  fc.nat(5).map((index) => ({ index })),
);

export const paths: fc.Arbitrary<FieldPath[]> = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), {
  maxLength: 8,
});

/** Returns a path as one string, equal for equal paths. */
export function pathKey(path: FieldPath): string {
  return JSON.stringify(path.map(elementId));
}
