import fc from 'fast-check';
import { type JsonValue, setOwn } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import { isValid, pruned } from './naive-interpreter.ts';

/** Few names, so that values and schemas often share them; some are names of `Object.prototype`. */
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString');

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, -3, 1.5, '', 'a', 'ab', 'žx'),
  fc.integer({ min: -5, max: 5 }),
  fc.string({ maxLength: 3 }),
);

/** Small JSON values of every shape. */
export const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    scalar,
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
    record(tie('value'), 'value'),
  ),
})).value;

const bounds = fc.record(
  { minimum: fc.integer({ min: -3, max: 3 }), maximum: fc.integer({ min: -3, max: 3 }) },
  { requiredKeys: [] },
);
const lengths = fc.record({ minLength: fc.nat(3), maxLength: fc.nat(3) }, { requiredKeys: [] });

const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>({}, { type: 'boolean' }, { intOrString: true }, { type: 'string', enum: ['a', 'ab'] }),
  bounds.map((more): Schema => ({ type: 'integer', ...more })),
  bounds.map((more): Schema => ({ type: 'number', ...more })),
  lengths.map((more): Schema => ({ type: 'string', ...more })),
);

/** Small schemas of every shape, combinators included. Their defaults may be invalid. */
export const anySchema: fc.Arbitrary<Schema> = schemas({ combinators: true });

/**
 * Schemas that a definition may have: their defaults are valid and pruned. Combinators are left out because they can
 * refuse pruned defaults, and sets because pruning can make their items equal.
 */
export const soundSchema: fc.Arbitrary<Schema> = schemas({ combinators: false }).map(withSoundDefaults);

function schemas({ combinators }: { readonly combinators: boolean }): fc.Arbitrary<Schema> {
  return fc.letrec<{ schema: Schema }>((tie) => {
    const inner = tie('schema');
    const some = fc.array(inner, { minLength: 1, maxLength: 2, depthIdentifier: 'schema' });
    const rest = combinators
      ? fc.oneof(
          fc.record({ allOf: some }),
          fc.record({ anyOf: some }),
          fc.record({ oneOf: some }),
          fc.record({ not: inner }),
        )
      : fc.constant({});
    const extras = fc.record(
      { nullable: fc.boolean(), default: anyValue, preserveUnknownFields: fc.boolean() },
      { requiredKeys: [] },
    );
    return {
      schema: fc
        .tuple(
          fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, leaf, list(inner), object(inner)),
          extras,
          fc.option(rest),
        )
        .map(([base, extra, combinator]) => ({ ...base, ...extra, ...combinator })),
    };
  }).schema;
}

function list(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .record(
      { items: inner, minItems: fc.nat(2), listType: fc.constantFrom<'set' | 'atomic'>('set', 'atomic') },
      { requiredKeys: [] },
    )
    .map((more): Schema => ({ type: 'array', ...more }));
}

function object(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const fields = record(inner, 'schema').chain((properties) =>
    fc
      .option(fc.subarray(Object.keys(properties)), { nil: undefined })
      .map((required): Schema => ({ type: 'object', properties, ...(required && { required }) })),
  );
  const maps = fc
    .oneof(inner, fc.boolean())
    .map((additionalProperties): Schema => ({ type: 'object', additionalProperties }));
  return fc.oneof(fields, maps);
}

function record<T>(values: fc.Arbitrary<T>, depthIdentifier: string): fc.Arbitrary<Record<string, T>> {
  return fc.array(fc.tuple(name, values), { maxLength: 3, depthIdentifier }).map((entries) => {
    const made: Record<string, T> = {};
    for (const [key, value] of entries) setOwn(made, key, value);
    return made;
  });
}

function withSoundDefaults(schema: Schema): Schema {
  const { default: value, properties, items, additionalProperties, listType: _, ...rest } = schema;
  const sound: { -readonly [Key in keyof Schema]: Schema[Key] } = { ...rest };
  if (properties !== undefined) {
    const copy: Record<string, Schema> = {};
    for (const [key, property] of Object.entries(properties)) setOwn(copy, key, withSoundDefaults(property));
    sound.properties = copy;
  }
  if (items !== undefined) sound.items = withSoundDefaults(items);
  if (additionalProperties !== undefined) {
    sound.additionalProperties =
      typeof additionalProperties === 'object' ? withSoundDefaults(additionalProperties) : additionalProperties;
  }
  const isValidDefault =
    value !== undefined && value !== null && isValid(value, sound) && isValid(pruned(value, sound), sound);
  return isValidDefault ? { ...sound, default: pruned(value, sound) } : sound;
}
