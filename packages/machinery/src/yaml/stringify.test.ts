import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepEqual } from '../json/deep.ts';
import { arbitraryJson } from '../json/testing/arbitrary-json.ts';
import type { JsonValue } from '../json/value.ts';
import { parseYaml } from './parse.ts';
import { stringifyYaml, stringifyYamlPieces } from './stringify.ts';

test('What is written is read back the same', () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      expect(deepEqual(parseYaml(stringifyYaml(value)), value)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe('stringifyYaml writes as Kubernetes does', () => {
  const check = (value: JsonValue, ...lines: string[]) => expect(stringifyYaml(value)).toBe(`${lines.join('\n')}\n`);

  test('an object', () => {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'doc', labels: { a: 'b' }, creationTimestamp: '2026-01-02T03:04:05Z', resourceVersion: '12' },
      data: { text: 'one\ntwo\n', quoted: '3' },
    };
    check(
      object,
      'apiVersion: v1',
      'data:',
      '  quoted: "3"',
      '  text: |',
      '    one',
      '    two',
      'kind: ConfigMap',
      'metadata:',
      '  creationTimestamp: "2026-01-02T03:04:05Z"',
      '  labels:',
      '    a: b',
      '  name: doc',
      '  resourceVersion: "12"',
    );
  });

  test('lists', () => {
    check({ args: ['a', { b: 1, c: [] }, [1, [{}]]] }, 'args:', '- a', '- b: 1', '  c: []', '- - 1', '  - - {}');
  });

  test('quotes only where they are needed', () => {
    check(
      ["it's", '- a', 'a: b', 'a #b', '"q"', "'q'", '', 'y', '12:30:45', '-a', 'a,b', '<<', 'x\ty', 'null', ':a', 'a:'],
      "- it's",
      "- '- a'",
      "- 'a: b'",
      "- 'a #b'",
      '- \'"q"\'',
      "- '''q'''",
      '- ""',
      '- "y"',
      '- "12:30:45"',
      '- -a',
      '- a,b',
      '- "<<"',
      '- "x\\ty"',
      '- "null"',
      '- :a',
      "- 'a:'",
    );
  });

  test('numbers', () => {
    check(
      [1, -1.5, 1e21, 1e-7, 1234567.5, 9007199254740993n, 100000],
      ...['- 1', '- -1.5', '- 1e+21', '- 1e-07', '- 1.2345675e+06', '- 9007199254740993', '- 100000'],
    );
  });

  test('literal blocks', () => {
    check(
      { a: 'x\n\n y', b: ' x\ny\n', c: 'x\n\n', d: 'x \ny' },
      'a: |-',
      '  x',
      '',
      '   y',
      'b: |2',
      '   x',
      '  y',
      'c: |+',
      '  x',
      '',
      'd: "x \\ny"',
    );
  });

  test('keys in natural order', () => {
    check(
      { a10: 1, a2: 1, b: 1, B: 1, _x: 1, 10: 1, 9: 1 },
      '_x: 1',
      '"9": 1',
      '"10": 1',
      'B: 1',
      'a2: 1',
      'a10: 1',
      'b: 1',
    );
  });

  test('long text wrapped at a space', () => {
    check({ a: `${'x'.repeat(80)} y z` }, `a: ${'x'.repeat(80)}`, '  y z');
  });
});

test('stringifyYaml leaves out what is undefined', () => {
  expect(stringifyYaml({ a: undefined, b: { c: undefined } })).toBe('b: {}\n');
});

/** The same, with so much in it that the writer pauses. */
const withMuch = (value: JsonValue): JsonValue => {
  const much = Array.from({ length: 1_500 }, (_, i) => ({ [`k${i}`]: i }));
  const wide = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`k${i}`, i]));
  return [value, { ['x'.repeat(200)]: much, b: much, c: [[much]], ['y'.repeat(200)]: { wide }, a: { wide, value } }];
};

test('stringifyYamlPieces writes the same', () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      expect([...stringifyYamlPieces(value)].join('')).toBe(stringifyYaml(value));
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      const much = withMuch(value);
      expect([...stringifyYamlPieces(much)].join('')).toBe(stringifyYaml(much));
    }),
    { numRuns: 20 },
  );
});

test('stringifyYamlPieces writes long lists and wide objects in many pieces', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => ({ metadata: { name: `p${i}` } }));
  expect([...stringifyYamlPieces({ kind: 'PodList', items })].length).toBeGreaterThanOrEqual(1_000);
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, '']));
  expect([...stringifyYamlPieces({ kind: 'ConfigMapList', items: [{ data }] })].length).toBeGreaterThanOrEqual(40);
});
