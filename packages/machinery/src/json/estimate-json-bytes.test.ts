import { expect, test } from 'vitest';
import { estimateJsonBytes } from './estimate-json-bytes.ts';
import type { JsonValue } from './value.ts';

test('estimateJsonBytes tells about how long the JSON of a value is', () => {
  const value = { name: 'web', list: [1, true, null, 'x'], inner: { text: 'y'.repeat(100) } };
  const length = JSON.stringify(value).length;
  expect(estimateJsonBytes(value, 1_000) / length).toBeGreaterThan(0.8);
  expect(estimateJsonBytes(value, 1_000) / length).toBeLessThan(1.2);
});

test('estimateJsonBytes stops beyond the limit, however much stands behind one value', () => {
  let value: JsonValue = 'x'.repeat(100);
  for (let level = 0; level < 50; level++) value = [value, value, value, value];
  expect(estimateJsonBytes(value, 1_000)).toBeGreaterThan(1_000);
  expect(estimateJsonBytes(value, 1_000)).toBeLessThan(2_000);
});
