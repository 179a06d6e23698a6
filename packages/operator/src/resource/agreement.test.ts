import { describeFieldError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineResource } from './define-resource.ts';
import { intOrString, quantity } from './schema-helpers.ts';

/** A schema, and values that are of it more often than not. */
interface Case {
  readonly schema: z.ZodType;
  readonly value: fc.Arbitrary<JsonValue>;
}

const word = fc.stringMatching(/^[a-c]{0,4}$/);
const small = fc.integer({ min: -3, max: 12 });
// Kubernetes takes lists for texts with a format, so there are no lists among these.
const odd = fc.constantFrom<JsonValue>('', 'x', '7', 0, 1.5, -1, true, null, {});

const scalars: readonly Case[] = [
  { schema: z.string(), value: word },
  { schema: z.string().min(1).max(3), value: word },
  { schema: z.string().regex(/^a/).regex(/c$/), value: word },
  { schema: z.string().nullable(), value: fc.oneof(word, fc.constant(null)) },
  { schema: z.iso.date(), value: fc.constantFrom('2026-02-28', '2026-02-30', 'today') },
  { schema: z.ipv4(), value: fc.constantFrom('10.0.0.1', '10.0.0', '::1') },
  { schema: z.uuid(), value: fc.oneof(fc.uuid(), word) },
  { schema: z.int(), value: small },
  { schema: z.int().min(0).max(9), value: small },
  { schema: z.number().gt(0).lt(10).multipleOf(2), value: small },
  { schema: z.boolean(), value: fc.boolean() },
  { schema: z.enum(['a', 'b']), value: fc.constantFrom('a', 'b', 'c') },
  { schema: z.literal(3), value: fc.constantFrom(3, 4) },
  { schema: z.union([z.literal('a'), z.literal('b')]), value: fc.constantFrom('a', 'b', 'c') },
  { schema: z.union([z.string().max(1), z.string().regex(/^b/)]), value: word },
  { schema: intOrString(), value: fc.oneof(word, small) },
  { schema: z.union([z.int().min(1), z.string().regex(/^a/)]), value: fc.oneof(word, small) },
  { schema: quantity(), value: fc.constantFrom('1', '1.5Gi', '500m', 'x', 3, '1e3') },
  { schema: z.unknown(), value: odd },
];

const cases: fc.Arbitrary<Case> = fc.letrec<{ any: Case }>((tie) => {
  const inner = tie('any');
  return {
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...scalars),
      fc.tuple(inner, fc.boolean()).map(([one, isBounded]) => listOf(one, isBounded)),
      inner.map(mapOf),
      fc.tuple(inner, inner, fc.boolean()).map(([one, other, isOptional]) => objectOf(one, other, isOptional)),
      fc.tuple(inner, inner).map(([one, other]) => taggedOf(one, other)),
    ),
  };
}).any;

function listOf({ schema, value }: Case, isBounded: boolean): Case {
  const list = z.array(schema);
  return { schema: isBounded ? list.min(1).max(2) : list, value: fc.array(value, { maxLength: 3 }) };
}

function mapOf({ schema, value }: Case): Case {
  return { schema: z.record(z.string(), schema), value: fc.dictionary(word, value, { maxKeys: 2 }) };
}

function objectOf(one: Case, other: Case, isOptional: boolean): Case {
  const schema = z.object({ one: one.schema, other: isOptional ? other.schema.optional() : other.schema });
  const value = fc.record({ one: one.value, other: other.value, more: odd }, { requiredKeys: [] });
  return { schema, value: value as fc.Arbitrary<JsonValue> };
}

function taggedOf(one: Case, other: Case): Case {
  const schema = z.discriminatedUnion('tag', [
    z.object({ tag: z.literal('l'), left: one.schema }),
    z.object({ tag: z.literal('r'), right: other.schema.optional() }),
  ]);
  // A field of another member is looked at by the server, and passed over by the schema: they do not agree there.
  const value = fc.oneof(
    fc.record({ tag: fc.constantFrom('l', 'z'), left: one.value }, { requiredKeys: [] }),
    fc.record({ tag: fc.constantFrom('r', 'z'), right: other.value }, { requiredKeys: [] }),
  );
  return { schema, value: value as fc.Arbitrary<JsonValue> };
}

test('a server takes what the schema takes, and refuses what it refuses', () => {
  let taken = 0;
  let refused = 0;
  const example = cases.chain(({ schema, value }) =>
    fc.tuple(
      fc.constant(schema),
      fc.array(fc.oneof({ weight: 9, arbitrary: value }, odd), { minLength: 5, maxLength: 5 }),
    ),
  );
  fc.assert(
    fc.property(example, ([field, values]) => {
      const { definition } = defineResource({ group: 'g.test', version: 'v1', kind: 'Any', spec: z.object({ field }) });
      const { openAPIV3Schema } = definition.spec.versions[0]!.schema!;
      const server = compileSchema(parseSchema(openAPIV3Schema as unknown as JsonObject));
      for (const value of values) {
        const { success } = field.safeParse(value);
        const errors = server.validate({ apiVersion: 'g.test/v1', kind: 'Any', metadata: {}, spec: { field: value } });
        expect(errors.length === 0, `${JSON.stringify(value)}: ${errors.map(describeFieldError).join()}`).toBe(success);
        if (success) taken++;
        else refused++;
      }
    }),
    { numRuns: 150 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(75);
});
