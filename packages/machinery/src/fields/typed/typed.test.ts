import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepCopy, deepEqual, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { FieldSet } from '../set/field-set.ts';
import { decodeFields, encodeFields } from '../set/fields-v1.ts';
import { formatPath } from '../set/path-element.ts';
import { configuration, emptied } from '../testing/arbitraries.ts';
import { thingSchema } from '../testing/schemas.ts';
import { checkTyped } from './check-typed.ts';
import { compareTyped } from './compare-typed.ts';
import { customObjectSchema } from './custom-object.ts';
import { fieldSetLike, fieldSetOf } from './field-set-of.ts';
import { mergeTyped } from './merge-typed.ts';
import { removeFields } from './remove-fields.ts';
import { reconcileFields } from './schema-changes.ts';

const spec = (value: JsonValue): JsonObject => ({ spec: value });
const shown = (set: FieldSet): string[] => [...set.paths()].map(formatPath);
const list = (more: Partial<Schema>): Schema => ({ type: 'object', properties: { l: { type: 'array', ...more } } });
const mapList = list({
  listType: 'map',
  listMapKeys: ['k'],
  items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
});

describe('fieldSetOf', () => {
  const check = (value: JsonValue, expected: JsonObject, schema: Schema = thingSchema): void =>
    expect(encodeFields(fieldSetOf(value, schema))).toEqual(expected);

  test('owns names that the author chose, not those of the schema', () => {
    check({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } });
    check(spec({ free: { x: { y: [1] } } }), { 'f:spec': { 'f:free': { 'f:x': { '.': {}, 'f:y': {} } } } });
  });

  test('owns items by their keys, with defaults for missing ones', () => {
    check(spec({ containers: [{ name: 'a', ports: [{ port: 80 }] }] }), {
      'f:spec': {
        'f:containers': {
          'k:{"name":"a"}': {
            '.': {},
            'f:name': {},
            'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
          },
        },
      },
    });
    check(spec({ tags: ['a', 'b'] }), { 'f:spec': { 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } } });
  });

  test('owns atomic values, empty objects and nulls as a whole, empty lists not at all', () => {
    check(spec({ selector: { matchLabels: { a: 'b' } } }), { 'f:spec': { 'f:selector': {} } });
    check({ data: {}, spec: null }, { 'f:data': {}, 'f:spec': {} });
    check(spec({ tags: [] }), {});
  });

  test('takes an item that comes twice as one', () => {
    check(
      {
        l: [
          { k: 'a', v: 1 },
          { k: 'a', v: 2 },
        ],
      },
      { 'f:l': { 'k:{"k":"a"}': {} } },
      mapList,
    );
  });

  test('deduces what no schema describes', () => {
    check({ a: { b: [{ c: 1 }] } }, { 'f:a': { '.': {}, 'f:b': {} } }, { preserveUnknownFields: true });
    check(
      { metadata: { labels: { a: 'b' }, finalizers: ['x'] }, spec: { a: 1 } },
      {
        'f:metadata': { 'f:labels': { 'f:a': {} }, 'f:finalizers': { 'v:"x"': {} } },
        'f:spec': { '.': {}, 'f:a': {} },
      },
      customObjectSchema(undefined),
    );
  });

  test('follows schemas that contain themselves', () => {
    const tree: { type: 'object'; properties: Record<string, Schema> } = {
      type: 'object',
      properties: { name: { type: 'string' } },
    };
    tree.properties.child = tree;
    check({ child: { child: { name: 'x' } } }, { 'f:child': { 'f:child': { 'f:name': {} } } }, tree);
  });
});

describe('compareTyped', () => {
  const check = (
    before: JsonValue,
    after: JsonValue,
    added: string[],
    modified: string[],
    removed: string[],
    schema: Schema = thingSchema,
  ): void => {
    const comparison = compareTyped(before, after, schema);
    expect([shown(comparison.added), shown(comparison.modified), shown(comparison.removed)]).toEqual([
      added,
      modified,
      removed,
    ]);
  };

  test('tells what came, what changed and what went', () => {
    check({ data: { a: '1', b: '2' } }, { data: { a: '9', c: '3' } }, ['.data.c'], ['.data.a'], ['.data.b']);
    check({}, { data: { a: '1' } }, ['.data', '.data.a'], [], []);
    check({ data: { a: '1' } }, {}, [], [], ['.data', '.data.a']);
    check({ data: null }, { data: { a: '1' } }, ['.data.a'], [], []);
  });

  test('compares items by identity, wherever they stand', () => {
    const containers = (...items: JsonValue[]): JsonObject => spec({ containers: items });
    check(
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'b' }, { name: 'a', image: 'x' }),
      ['.spec.containers[name="a"].image'],
      [],
      [],
    );
  });

  test('compares atomic values as a whole', () => {
    check(
      spec({ selector: { matchLabels: { a: 'b' } } }),
      spec({ selector: { matchLabels: { a: 'c' } } }),
      [],
      ['.spec.selector'],
      [],
    );
  });

  test('compares items that come twice as one', () => {
    const l = (...values: number[]): JsonObject => ({ l: values.map((v) => ({ k: 'a', v })) });
    check(l(1, 2), l(1, 2), [], [], [], mapList);
    check(l(1, 2), l(2, 1), [], ['.l[k="a"]'], [], mapList);
    check(l(1, 2), l(1), ['.l[k="a"]', '.l[k="a"].k', '.l[k="a"].v'], [], ['.l[k="a"]'], mapList);
  });

  test('copes with values that change their kind', () => {
    check({ a: { b: 1 } }, { a: 'x' }, [], ['.a'], ['.a.b'], {});
    check({ a: 'x' }, { a: { b: 1 } }, ['.a.b'], ['.a'], [], {});
  });
});

describe('mergeTyped', () => {
  const names = (...list: string[]): JsonObject => spec({ containers: list.map((name) => ({ name })) });
  const order = (live: string, applied: string, expected: string): void =>
    expect(mergeTyped(names(...live.split(' ')), names(...applied.split(' ')), thingSchema)).toEqual(
      names(...expected.split(' ')),
    );

  test('orders items by the configuration, the others between them', () => {
    order('a b c', 'c a b', 'c a b');
    order('c a b', 'd', 'c a b d');
    order('c a b', 'z a', 'c z a b');
    order('a b c d e', 'c a x', 'b c d e a x');
    order('a b c d e', 'x b y', 'a x b c d e y');
  });

  test('keeps what the configuration does not speak of, also against null', () => {
    expect(mergeTyped({ data: { a: '1' }, status: { phase: 'x' } }, { data: null }, thingSchema)).toEqual({
      data: { a: '1' },
      status: { phase: 'x' },
    });
    expect(mergeTyped(spec({ replicas: 1 }), spec({ replicas: null }), thingSchema)).toEqual(spec({ replicas: null }));
  });

  test('replaces an item that comes twice in the live list', () => {
    const live = { l: [{ k: 'a', v: 1 }, { k: 'b' }, { k: 'a', v: 2 }] };
    expect(mergeTyped(live, { l: [{ k: 'a', v: 3 }] }, mapList)).toEqual({ l: [{ k: 'a', v: 3 }, { k: 'b' }] });
    expect(mergeTyped(live, { l: [{ k: 'b', v: 3 }] }, mapList)).toEqual({
      l: [
        { k: 'a', v: 1 },
        { k: 'b', v: 3 },
        { k: 'a', v: 2 },
      ],
    });
  });
});

describe('removeFields', () => {
  const check = (value: JsonValue, fields: JsonObject, expected: JsonValue): void =>
    expect(removeFields(value, decodeFields(fields), thingSchema)).toEqual(expected);

  test('removes fields and items with all inside them', () => {
    check({ data: { a: '1', b: '2' } }, { 'f:data': { 'f:a': {} } }, { data: { b: '2' } });
    check(
      spec({ containers: [{ name: 'a', image: 'x' }, { name: 'b' }] }),
      { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } } },
      spec({ containers: [{ name: 'b' }] }),
    );
  });

  test('leaves null where everything inside went', () => {
    check({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }, { data: null });
    check({ data: { a: '1' }, kind: 'x' }, { 'f:data': { '.': {}, 'f:a': {} } }, { kind: 'x' });
  });
});

describe('checkTyped', () => {
  const check = (value: JsonValue, message: string, schema: Schema = thingSchema): void =>
    expect(() => checkTyped(value, schema)).toThrow(expect.objectContaining({ name: 'FieldsError', message }));

  test('says what is wrong in the words of Kubernetes', () => {
    check({ colour: 'red' }, '.colour: field not declared in schema');
    check({ data: ['a'] }, '.data: expected map, got &{[a]}');
    check({ data: { a: 1 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1}');
    check(spec({ replicas: 'x' }), '.spec.replicas: expected numeric (int or float), got string');
    check(spec({ tags: ['a', 'a'] }), '.spec.tags: duplicate entries for key [="a"]');
    check(spec({ tags: [1] }), '.spec.tags[=1]: expected string, got &value.valueUnstructured{Value:1}');
    check(
      spec({ containers: [{ image: 'x' }] }),
      '.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    );
    check(
      spec({ containers: [{ name: 'a', ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }] }),
      '.spec.containers[name="a"].ports: duplicate entries for key [port=1,protocol="TCP"]',
    );
    check(
      { data: { a: 1 }, colour: 'red' },
      'errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .colour: field not declared in schema',
    );
  });

  test('lets nulls and undescribed values pass', () => {
    checkTyped({ data: null, spec: { free: { a: [1, 'x', { b: true }] }, containers: null } }, thingSchema);
    checkTyped({ anything: [1] }, undefined);
  });
});

test('what a schema has made atomic since is owned as a whole', () => {
  const fields = decodeFields({ 'f:l': { 'k:{"k":"a"}': { '.': {}, 'f:v': {} } } });
  expect(encodeFields(reconcileFields(fields, list({ items: {} })))).toEqual({ 'f:l': {} });
  expect(reconcileFields(fields, mapList)).toBe(fields);
});

test('the laws that hold between the operations', () => {
  fc.assert(
    fc.property(configuration, configuration, (live, applied) => {
      const [before, given] = [deepCopy(live), deepCopy(applied)];
      const merged = mergeTyped(live, applied, thingSchema);
      // Applying again changes nothing, and everything applied is there.
      expect(mergeTyped(merged, applied, thingSchema)).toEqual(merged);
      expect(
        fieldSetOf(applied, thingSchema).difference(fieldSetOf(merged, thingSchema)).leaves().isEmpty ||
          hasVoid(applied),
      ).toBe(true);
      // Nothing is removed, except from a value that is now of another kind.
      const { added, modified, removed } = compareTyped(live, merged, thingSchema);
      expect(removed.subtractTrees(modified).isEmpty).toBe(true);
      expect(added.intersection(modified).isEmpty).toBe(true);
      // Equal objects compare as equal; comparing the other way round swaps what came and what went.
      expect(compareTyped(live, deepCopy(live), thingSchema).added.isEmpty).toBe(true);
      const back = compareTyped(merged, live, thingSchema);
      expect(back.removed.equals(added) && back.added.equals(removed) && back.modified.equals(modified)).toBe(true);
      expect(deepEqual(live, before) && deepEqual(applied, given)).toBe(true);
    }),
  );
});

/** An empty object is owned as itself only while nobody puts something into it. */
function hasVoid(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).length === 0 || Object.values(value).some(hasVoid);
}

test('fieldSetLike gives the set that fieldSetOf gives, and the likely one itself where it is equal', () => {
  const either = fc.oneof(configuration, emptied);
  fc.assert(
    fc.property(either, either, (before, now) => {
      const like = fieldSetOf(before, thingSchema);
      const found = fieldSetLike(now, thingSchema, like);
      expect(shown(found!)).toEqual(shown(fieldSetOf(now, thingSchema)));
      expect(fieldSetLike(before, thingSchema, like)).toBe(like);
      expect(fieldSetLike(now, thingSchema, undefined)!.equals(found!)).toBe(true);
    }),
  );
});

test('fieldSetLike gives nothing where checkTyped complains, and only there', () => {
  const odd = fc.constantFrom<JsonValue>(
    1,
    'x',
    true,
    null,
    [],
    {},
    [null],
    [1, 1],
    [{}],
    [{ name: 'a' }, { name: 'a' }],
  );
  const place = fc.constantFrom('replicas', 'selector', 'strategy', 'containers', 'tags', 'free', 'unknown');
  fc.assert(
    fc.property(configuration, place, odd, (base, name, value) => {
      const changed = { ...base, spec: { ...(base.spec as JsonObject), [name]: value } };
      const complaint = (() => {
        try {
          checkTyped(changed, thingSchema);
          return undefined;
        } catch (error) {
          return error;
        }
      })();
      expect(fieldSetLike(changed, thingSchema, undefined) === undefined).toBe(complaint !== undefined);
    }),
  );
});
