import { expect, test } from 'vitest';
import { followFieldPath } from './field-path.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        'a.b': { type: 'string' },
        n: { type: 'integer' },
        map: { type: 'object', additionalProperties: { type: 'boolean' } },
        any: { type: 'object', additionalProperties: true },
      },
    },
  },
};

test.each<[string, object | string]>([
  ['.spec.n', { type: 'integer' }],
  [".spec['a.b']", { type: 'string' }],
  ['.spec.map.anything', { type: 'boolean' }],
  [".spec.map['it\\'s']", { type: 'boolean' }],
  ['.spec.any.x', {}],
  ['spec.n', 'expected [ or . but got: spec'],
  ['.spec.', 'unexpected end of JSON path'],
  ['.spec.none', 'does not refer to a valid field'],
  ['.spec.n.deeper', 'does not refer to a valid field'],
  ['.spec[0]', 'expected single quoted string but got 0'],
  [".spec['n'", 'unexpected end of JSON path'],
  [".spec['n'.", 'expected ] but got .'],
  ['.spec.__proto__', 'does not refer to a valid field'],
])('%s leads to %j', (path, expected) => {
  expect(followFieldPath(path, schema)).toMatchObject(
    typeof expected === 'string' ? { problem: expected } : { schema: expected },
  );
});

test('brackets can be ruled out', () => {
  expect(followFieldPath(".spec['n']", schema, { allowsBrackets: false })).toEqual({
    problem: 'array notation is not allowed',
  });
});
