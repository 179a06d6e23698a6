import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configuration } from '../fields/testing/arbitraries.ts';
import { thingSchema } from '../fields/testing/schemas.ts';
import { deepCopy, type JsonObject, type JsonValue, parseJson } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { applyStrategicPatch, createStrategicPatch, PatchError, printPatch, restoreProblem } from './index.ts';

const apply = (document: JsonValue, patch: JsonValue): JsonValue => applyStrategicPatch(document, patch, thingSchema);
const check = (document: JsonObject, patch: JsonObject, expected: JsonObject): void =>
  expect(apply(document, patch)).toEqual(expected);
const refuse = (document: JsonObject, patch: JsonValue, code: string, message: string): void =>
  expect(() => apply(document, patch)).toThrow(
    expect.objectContaining({ message, failure: expect.objectContaining({ code }) }),
  );

const containers = (...items: JsonValue[]): JsonObject => ({ spec: { containers: items } });
const named = (...names: string[]): JsonObject => containers(...names.map((name) => ({ name })));
const order = (...names: string[]): JsonValue => names.map((name) => ({ name }));

describe('objects', () => {
  test('are merged name by name, null removes', () => {
    check({ data: { a: '1', b: '2' } }, { data: { b: '3', c: '4', a: null } }, { data: { b: '3', c: '4' } });
    check({}, { data: { a: null, b: '1' } }, { data: { b: '1' } });
    check({ data: { a: '1' } }, { data: null }, {});
  });

  test('obey $patch', () => {
    check({ data: { a: '1' } }, { data: { $patch: 'replace', b: '2' } }, { data: { b: '2' } });
    check({ data: { a: '1' } }, { data: { $patch: 'delete', b: '2' } }, { data: {} });
    check({}, { data: { $patch: 'merge', b: '2' } }, {});
    check({}, { data: { $patch: null, b: '2' } }, { data: { b: '2' } });
    refuse(
      { data: { a: '1' } },
      { data: { $patch: 'merge', b: '2' } },
      'CannotMerge',
      'unknown patch type: merge in map: map[$patch:merge b:2]',
    );
    refuse(
      { data: { a: '1' } },
      { data: { $patch: 5 } },
      'CannotMerge',
      'unknown patch type: %!s(int64=5) in map: map[$patch:5]',
    );
  });

  test('obey $retainKeys', () => {
    const strategy = (value: JsonObject): JsonObject => ({ spec: { strategy: value } });
    const live = strategy({ type: 'Rolling', parameters: { surge: 1 } });
    check(live, strategy({ $retainKeys: ['type'], type: 'Recreate' }), strategy({ type: 'Recreate' }));
    refuse(
      live,
      strategy({ $retainKeys: ['type'], parameters: {} }),
      'BadDirective',
      'invalid patch format of retainKeys',
    );
    refuse(live, strategy({ $retainKeys: 'type' }), 'BadDirective', 'invalid patch format of retainKeys');
  });
});

describe('lists', () => {
  test('of objects are merged by their key', () => {
    check(
      containers({ name: 'a', image: '1' }, { name: 'b' }),
      containers({ name: 'a', image: '2' }),
      containers({ name: 'a', image: '2' }, { name: 'b' }),
    );
    check(
      containers({ name: 'a', args: ['1'] }),
      containers({ name: 'a', args: ['2'] }),
      containers({ name: 'a', args: ['2'] }),
    );
    check(named('a', 'b'), containers({ name: 'b', $patch: 'delete' }, { name: 'zz', $patch: 'delete' }), named('a'));
    check(named('a', 'b'), containers({ name: 'n' }, { $patch: 'replace' }), named('n'));
  });

  test('new items come first, known ones in the order of the patch', () => {
    check(named('a', 'b', 'c'), named('d'), named('d', 'a', 'b', 'c'));
    check(named('d', 'a', 'b', 'c'), named('e', 'a'), named('e', 'd', 'a', 'b', 'c'));
    check(named('a', 'b', 'c'), named('c', 'a'), named('b', 'c', 'a'));
  });

  test('of scalars are sets', () => {
    const tags = (...items: string[]): JsonObject => ({ spec: { tags: items } });
    check(tags('a', 'b'), tags('c', 'a'), tags('c', 'a', 'b'));
    check(tags('a', 'b'), { spec: { '$deleteFromPrimitiveList/tags': ['a', 'z'] } }, tags('b'));
    check(tags('a', 'b'), { spec: { '$setElementOrder/tags': ['b', 'a'] } }, tags('b', 'a'));
    check(tags('a'), { spec: { '$deleteFromPrimitiveList/tags': 'a' } }, tags('a'));
  });

  test('take the order they are given', () => {
    const ordered = (names: string[], ...changes: JsonValue[]): JsonObject => ({
      spec: { '$setElementOrder/containers': order(...names), ...(changes.length > 0 && { containers: changes }) },
    });
    check(named('a', 'b', 'c', 'd'), ordered(['d', 'c', 'b', 'a']), named('d', 'c', 'b', 'a'));
    check(named('a', 'b'), ordered(['a', 'n', 'b'], { name: 'n' }), named('a', 'n', 'b'));
    check(named('a', 'b'), ordered([], { name: 'z' }), named('a', 'b', 'z'));
    check(named('a', 'b'), ordered([], { name: 'z' }, { name: 'y' }), named('a', 'b', 'y', 'z'));
    check(named('a', 'b'), ordered([], { name: 'b' }, { name: 'y' }), named('y', 'a', 'b'));
    refuse(
      named('a', 'b'),
      ordered(['a', 'b'], { name: 'b' }, { name: 'a' }),
      'CannotMerge',
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    );
    refuse(
      named('a'),
      { spec: { '$setElementOrder/containers': 'a' } },
      'CannotMerge',
      'expected a []interface {}, but received a string',
    );
    refuse(
      named('a'),
      { spec: { '$setElementOrder/containers': ['a'] } },
      'CannotMerge',
      'value for key 0 is not a map',
    );
    refuse(
      named('a'),
      { spec: { '$setElementOrder/containers': [{ name: 'a' }, 1] } },
      'CannotMerge',
      'expected a map[string]interface {}, but received a int64',
    );
    refuse(
      named('a'),
      { spec: { '$setElementOrder/containers': [{ name: 'a' }, null] } },
      'CannotMerge',
      'expected a map[string]interface {}, but received a %!s(<nil>)',
    );
    const args = (...items: string[]): JsonObject => containers({ name: 'a', args: items });
    check(args('x'), containers({ name: 'a', args: ['y', 'y'], '$setElementOrder/args': ['y', 'y'] }), args('y', 'y'));
    refuse(
      named('a'),
      { spec: { '$setElementOrder/colours': [] } },
      'CannotMerge',
      'unable to find api field in struct ThingSpec for the json field "colours"',
    );
  });

  test('refuse items that cannot be told apart', () => {
    refuse(
      named('a'),
      containers({ image: 'x' }),
      'CannotMerge',
      'map: map[image:x] does not contain declared merge key: name',
    );
    refuse(named('a'), containers('a'), 'CannotMerge', 'list element types are not identical: [[map[name:a]] [a]]');
  });
});

test('a patch must be an object', () => {
  refuse({}, [], 'Malformed', 'json: cannot unmarshal array into Go value of type map[string]interface {}');
});

test('what is no object after a patch is told in the words of Kubernetes', () => {
  const restore = (document: JsonValue, problem: string | undefined): void =>
    expect(restoreProblem(document, thingSchema)).toBe(problem);
  restore({ spec: 'x' }, 'cannot restore struct from: string');
  restore({ spec: [] }, 'cannot restore struct from: slice');
  restore({ metadata: 5 }, 'cannot restore struct from: int64');
  restore({ data: ['a'] }, 'cannot restore map from slice');
  restore({ data: { a: 1 } }, 'cannot convert int64 to string');
  restore({ data: { a: { b: 'c' } } }, 'unrecognized type: string');
  restore({ spec: { containers: { name: 'a' } } }, 'cannot restore slice from map');
  restore({ spec: { replicas: 'many' } }, 'unrecognized type: int64');
  restore({ spec: { replicas: 1.5 } }, 'cannot convert float64 to int64');
  restore({ spec: { replicas: 3, containers: [{ name: 'a', args: null }] }, data: {} }, undefined);
});

test('integers too large for their field lose their upper bits', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      small: { type: 'integer', format: 'int32' },
      list: { type: 'array', items: { type: 'integer', format: 'int32' } },
      bytes: { type: 'string', format: 'byte' },
    },
  };
  const document = { small: 2 ** 31, list: [2 ** 32 + 1], bytes: [256, -1, null] };
  expect(restoreProblem(document, schema)).toBeUndefined();
  expect(document).toEqual({ small: -(2 ** 31), list: [1], bytes: [0, 255, null] });
  expect(restoreProblem({ bytes: ['x'] }, schema)).toBe('unrecognized type: uint8');
  expect(restoreProblem({ bytes: 1 }, schema)).toBe('cannot restore slice from int64');
});

test('a refused patch is shown as far as it was not used up', () => {
  const shown = (document: JsonObject, patch: JsonObject, expected: string): void =>
    expect(printPatch(patch, document, thingSchema)).toBe(expected);
  shown({}, { spec: { tags: ['a', null] }, data: {} }, 'map[data:map[] spec:map[tags:[a <nil>]]]');
  shown({ data: { a: '1' } }, { data: { a: null, b: 5 } }, 'map[data:map[a:<nil> b:5]]');
  shown({}, { data: { a: null, b: 5 } }, 'map[data:map[b:5]]');
  shown({}, { data: [{ $patch: 'delete' }] }, 'map[data:[map[$patch:delete]]]');
  shown({}, { data: { $patch: 'delete', a: null } }, 'map[data:map[$patch:delete]]');
  shown(
    containers({ name: 'a' }),
    containers({ name: 'a', $retainKeys: ['name'] }, { $patch: 'replace' }),
    'map[spec:map[containers:[map[$retainKeys:[name] name:a] map[$patch:replace]]]]',
  );
  shown({ data: { a: '1' } }, { data: { $patch: 'replace', b: 5 } }, 'map[data:map[b:5]]');
  shown(
    containers({ name: 'a', image: '1' }),
    { spec: { replicas: 'x', '$setElementOrder/containers': order('a'), containers: [{ name: 'a', image: '2' }] } },
    'map[spec:map[replicas:x]]',
  );
  shown(
    { spec: { strategy: { type: 'A' } } },
    { spec: { strategy: { $retainKeys: ['type'], type: 5 } } },
    'map[spec:map[strategy:map[type:5]]]',
  );
  shown(
    containers({ name: 'a', env: [] }),
    containers({ name: 'a', image: 5, '$setElementOrder/env': [] }, { name: 'b', $patch: 'delete' }),
    'map[spec:map[containers:[map[image:5 name:a] map[$patch:delete name:b]]]]',
  );
});

test('__proto__ is a name like any other', () => {
  const result = apply(
    parseJson('{"data":{"__proto__":"1","constructor":"2"}}'),
    parseJson('{"data":{"__proto__":"3","toString":"4"}}'),
  );
  expect(result).toEqual(parseJson('{"data":{"__proto__":"3","constructor":"2","toString":"4"}}'));
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('the difference of two objects makes one of the other', () => {
  fc.assert(
    fc.property(configuration, configuration, (original, modified) => {
      const before = deepCopy(original);
      const patch = createStrategicPatch(original, modified, thingSchema);
      const given = deepCopy(patch);
      expect(apply(original, patch)).toEqual(modified);
      expect([original, patch]).toEqual([before, given]);
      expect(createStrategicPatch(modified, deepCopy(modified), thingSchema)).toEqual({});
    }),
    { numRuns: 300 },
  );
});

test('any patch gives an object or a PatchError', () => {
  const name = fc.constantFrom(
    'spec',
    'data',
    'containers',
    'tags',
    'name',
    'env',
    '__proto__',
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '$setElementOrder/tags',
    '$deleteFromPrimitiveList/tags',
    '$setElementOrder',
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, 'delete', 'replace', 'merge', 'a', 1, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(configuration, value, (document, patch) => {
      try {
        apply(document, patch);
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('long lists are merged in time', () => {
  const many = (prefix: string, count = 20_000): JsonValue[] =>
    Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}` }));
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `tag-${i}`);
  const live = containers(...many('a'));
  const backwards = many('a').reverse();
  takesLittle(() => apply(live, { spec: { containers: backwards, '$setElementOrder/containers': backwards } }));
  takesLittle(() => apply(live, containers(...many('b', 40_000))));
  takesLittle(() =>
    apply(live, containers(...many('a').map((item) => ({ ...(item as JsonObject), $patch: 'delete' })))),
  );
  takesLittle(() => apply({ spec: { tags: names(80_000) } }, { spec: { tags: names(90_000).reverse() } }));
});

/** In processor time, because others may be at work on this machine. */
function takesLittle(run: () => void): void {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(1_500);
}
