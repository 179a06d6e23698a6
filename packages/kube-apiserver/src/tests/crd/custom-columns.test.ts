import { threadTimer } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { define } from '../../testing/define.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../testing/thing-definition.ts';

const TABLE = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };

/** The one cell that a column of this type shows of `spec.x`. */
async function cell(type: string, x: unknown, jsonPath = '.spec.x'): Promise<unknown> {
  await using api = await openTestApi();
  await define(api, thingDefinition([{ name: 'v1', additionalPrinterColumns: [{ name: 'X', type, jsonPath }] }]));
  await api.post(thingsAt('v1'), thing('v1', 'one', x === undefined ? {} : { spec: { x } }));
  const { body } = await api.get(thingsAt('v1', '/one'), TABLE);
  return (body as unknown as { rows: [{ cells: unknown[] }] }).rows[0].cells[1];
}

test.each<[string, unknown, unknown]>([
  ['string', 'red', 'red'],
  ['string', 7, '7'],
  ['string', { b: 1, a: [1] }, '{"a":[1],"b":1}'],
  ['string', { a: '<b>' }, '{"a":"\\u003cb\\u003e"}'],
  ['string', 0.000001, '1e-06'],
  ['string', 123456789.5, '1.234567895e+08'],
  ['string', 123456789, '123456789'],
  ['string', null, '<no value>'],
  ['string', undefined, null],
  ['integer', 2.9, 2],
  ['integer', 'big', null],
  ['integer', 1e21, -(2 ** 63)],
  ['number', 1.5, 1.5],
  ['boolean', 'yes', null],
  ['date', '2026-01-01T03:04:05Z', '24h'],
  ['date', '2026', '<invalid>'],
  ['date', '', '<unknown>'],
  ['date', 5, null],
])('a column of type %s shows %j as %j', async (type, value, shown) => {
  expect(await cell(type, value)).toBe(shown);
});

test('a filter shows the first that fits', async () => {
  const conditions = [
    { type: 'Other', status: 'A' },
    { type: 'Ready', status: 'True' },
  ];
  expect(await cell('string', conditions, '.spec.x[?(@.type=="Ready")].status')).toBe('True');
});

test('columns end before the first whose path cannot be read', async () => {
  await using api = await openTestApi();
  const columns = ['.spec.a', '.spec.b[', '.spec.c'].map((jsonPath) => ({ name: jsonPath, type: 'string', jsonPath }));
  await define(api, thingDefinition([{ name: 'v1', additionalPrinterColumns: columns }]));
  const { body } = await api.get(thingsAt('v1'), TABLE);
  expect(body.columnDefinitions).toMatchObject([{ name: 'Name' }, { name: '.spec.a' }]);
});

test('columns have the descriptions of their definition, and the name has its own', async () => {
  await using api = await openTestApi();
  const columns = [
    { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', description: 'In grams.' },
    { name: 'Age', type: 'integer', jsonPath: '.spec.age' },
  ];
  await define(api, thingDefinition([{ name: 'v1', additionalPrinterColumns: columns }, { name: 'v2' }]));
  const descriptions = async (version: string) => {
    const { body } = await api.get(thingsAt(version), TABLE);
    return (body.columnDefinitions as { description: string }[]).map(({ description }) => description);
  };
  expect(await descriptions('v1')).toEqual([expect.stringContaining('The name by which'), 'In grams.', '']);
  expect(await descriptions('v2')).toEqual([
    expect.any(String),
    'CreationTimestamp is a timestamp of when the server created the object, in UTC.',
  ]);
});

test('columns that look at far too much are empty, and those before them are not', async () => {
  await using api = await openTestApi();
  const paths = ['.spec.first', ...Array.from({ length: 200 }, (_, i) => `.spec..missing${i}`)];
  const additionalPrinterColumns = paths.map((jsonPath) => ({ name: jsonPath, type: 'string', jsonPath }));
  await define(api, thingDefinition([{ name: 'v1', additionalPrinterColumns }]));
  const x = Array.from({ length: 10_000 }, () => ({ a: 1 }));
  await api.post(thingsAt('v1'), thing('v1', 'one', { spec: { first: 'here', x } }));
  const computedMs = threadTimer();
  const { body } = await api.get(thingsAt('v1'), TABLE);
  expect(computedMs()).toBeLessThan(2_000);
  const [row] = (body as unknown as { rows: { cells: unknown[] }[] }).rows;
  expect(row!.cells.slice(0, 3)).toEqual(['one', 'here', null]);
  expect(row!.cells).toHaveLength(202);
});
