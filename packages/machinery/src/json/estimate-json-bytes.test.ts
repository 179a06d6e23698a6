import { expect, test } from 'vitest';
import { weighJson } from './estimate-json-bytes.ts';
import type { JsonValue } from './value.ts';

test('weighJson tells about how long the JSON of a value is', () => {
  const value = { name: 'web', list: [1, true, null, 'x'], inner: { text: 'y'.repeat(100) } };
  const length = JSON.stringify(value).length;
  expect(weighJson(value, 1_000) / length).toBeGreaterThan(0.8);
  expect(weighJson(value, 1_000) / length).toBeLessThan(1.2);
});

test('weighJson stops beyond the limit, however much stands behind one value', () => {
  let value: JsonValue = 'x'.repeat(100);
  for (let level = 0; level < 50; level++) value = [value, value, value, value];
  expect(weighJson(value, 1_000)).toBeGreaterThan(1_000);
  expect(weighJson(value, 1_000)).toBeLessThan(2_000);
});
