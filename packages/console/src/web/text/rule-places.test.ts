import { expect, test } from 'vitest';
import { placesIn, placeText, readObject, rulesIn, schemaAt, valuesAt } from './rule-places.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'self.a == 1', message: 'a is 1' }],
      properties: {
        a: { type: 'integer' },
        ports: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' } } } },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

test('rules may stand at every value of a schema', () => {
  expect(placesIn(schema).map(placeText)).toEqual([
    'the object',
    'spec',
    'spec.a',
    'spec.ports',
    'spec.ports[*]',
    'spec.ports[*].port',
    'spec.tags',
    'spec.tags[*]',
  ]);
  expect(schemaAt(schema, ['spec', 'ports', '*', 'port'])).toEqual({ type: 'integer' });
  expect(rulesIn(schema)).toEqual([{ place: ['spec'], rule: 'self.a == 1', message: 'a is 1' }]);
});

test('a place has a value for each item, and what was there before', () => {
  const before = { spec: { a: 1, tags: { x: 'old' } } };
  const object = { spec: { a: 2, ports: [{ port: 1 }, { port: 2 }], tags: { x: 'new', y: 'z' } } };
  expect(valuesAt(object, before, ['spec', 'a'])).toEqual([{ path: 'spec.a', value: 2, before: 1 }]);
  expect(valuesAt(object, before, ['spec', 'ports', '*', 'port']).map(({ path }) => path)).toEqual([
    'spec.ports[0].port',
    'spec.ports[1].port',
  ]);
  expect(valuesAt(object, before, ['spec', 'tags', '*'])).toEqual([
    { path: 'spec.tags[x]', value: 'new', before: 'old' },
    { path: 'spec.tags[y]', value: 'z', before: undefined },
  ]);
  expect(valuesAt({}, undefined, ['constructor'])).toEqual([]);
});

test('numbers of a text are read as the server reads them', () => {
  expect(readObject('a: 1\nb: 9007199254740993')).toEqual({ value: { a: 1, b: 9007199254740993n } });
  expect(typeof readObject('a: [')).toBe('string');
});
