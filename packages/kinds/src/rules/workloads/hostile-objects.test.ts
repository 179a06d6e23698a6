import { deepCopy, type JsonValue } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import { compileTyped } from '@pintle/machinery/schema';
import { describe, expect, test } from 'vitest';
import { type OpenApiSchema, openapiOfType, schemaOf, typeNameOf } from '../../schemas/index.ts';
import { loadAll } from '../testing/load-all.ts';
import { workloadRules as loaders } from './index.ts';

const workloadRules = await loadAll(loaders);

const objectsPerKind = 300;
const seed = Number(process.env.SEED ?? 20_240_607);
const texts = [
  '',
  'a',
  'A_',
  '1',
  '..',
  '/x',
  'a/b',
  '10%',
  'Always',
  'Never',
  'In',
  'RollingUpdate',
  'Indexed',
  '__proto__',
];
const numbers = [-1, 0, 1, 2, 70_000];

const kinds = Object.entries(workloadRules).flatMap(([group, rules]) =>
  Object.keys(rules).map((kind) => ({ group, kind, version: group === 'autoscaling' ? 'v2' : 'v1' })),
);

describe(`whatever can be read can be judged (SEED=${seed})`, () => {
  test.each([...kinds, { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' }])(
    '$group/$version $kind',
    (gvk) => {
      const random = mulberry32(seed);
      const rules = workloadRules[gvk.group]![gvk.kind]!;
      const reader = compileTyped(schemaOf(gvk)!);
      const schema = openapiOfType(typeNameOf(gvk)!)!;
      let previous: JsonValue | undefined;
      for (let index = 0; index < objectsPerKind; index++) {
        const body = { ...(anyValue(schema, random, 0) as object), apiVersion: apiVersionOf(gvk), kind: gvk.kind };
        const object = reader.read({ ...body, metadata: { name: 'a', uid: 'u' } }).value;
        judge(rules, object, previous);
        previous = object;
      }
      expect(previous).toBeDefined();
    },
  );
});

function judge(rules: ResourceRules, object: JsonValue, previous: JsonValue | undefined): void {
  const fresh = copy(object);
  rules.default?.(fresh);
  rules.prepareForCreate?.(fresh);
  rules.validate?.(fresh);
  rules.warnings?.(fresh, undefined);
  rules.selectableFields?.(fresh);
  expect(rules.printer?.row(fresh, { nowMs: 0 })).toHaveLength(rules.printer?.columns.length ?? 0);
  if (previous === undefined) return;
  const old = copy(previous);
  rules.default?.(old);
  for (const part of [rules, ...Object.values(rules.subresources ?? {})]) {
    const next = copy(object);
    rules.default?.(next);
    part.prepareForUpdate?.(next, old);
    part.validateUpdate?.(next, old);
    part.warnings?.(next, old);
  }
}

function copy(value: JsonValue): never {
  return deepCopy(value) as never;
}

function anyValue(schema: OpenApiSchema, random: () => number, depth: number): JsonValue {
  const named = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (named !== undefined) return anyValue(openapiOfType(named.split('/').at(-1)!)!, random, depth);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (schema.format === 'date-time') return '2024-01-01T00:00:00Z';
  if (schema.format === 'int-or-string') return pick<JsonValue>([...numbers, '10%', 'x']);
  if (schema.enum !== undefined && random() < 0.7) return pick(schema.enum);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return pick(numbers);
    case 'boolean':
      return random() < 0.5;
    case 'array':
      return Array.from({ length: Math.floor(random() * 3) }, () => anyValue(schema.items ?? {}, random, depth + 1));
    case 'object':
      return anyObject(schema, random, depth);
    case 'string':
      return pick(texts);
    default:
      return pick<JsonValue>(['1', '100m', '1Gi', '-1']);
  }
}

function anyObject(schema: OpenApiSchema, random: () => number, depth: number): JsonValue {
  const { properties, additionalProperties } = schema;
  if (properties === undefined)
    return additionalProperties
      ? { [random() < 0.5 ? 'cpu' : 'a b']: anyValue(additionalProperties, random, depth + 1) }
      : {};
  const share = depth < 4 ? 0.6 : 0.25;
  const chosen = Object.entries(properties).filter(([name]) => depth < 12 && name !== 'metadata' && random() < share);
  return Object.fromEntries(chosen.map(([name, part]) => [name, anyValue(part, random, depth + 1)]));
}

function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** A small generator of numbers that are as random as this test needs. */
function mulberry32(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
