import type { KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { Sighting } from './sighting.ts';
import { Slab } from './slab.ts';

/** Sightings of objects of that text, by the key that was found in it. */
function sight(texts: readonly string[], onUnreadable?: (error: ClientError) => void): Sighting[] {
  const slab = new Slab<KubernetesObject>({ finish: (object) => object, ...(onUnreadable && { onUnreadable }) });
  const sightings = texts.map((text) => {
    const bytes = Buffer.from(text);
    return Sighting.ofText('web', '7', slab, slab.begin(bytes, 0, bytes.length), slab.size);
  });
  slab.seal();
  return sightings;
}

const named = '"metadata":{"name":"web","resourceVersion":"7"}';

test('an object is read from its text when somebody looks, once', () => {
  const [first, second] = sight([`{${named},"x":1}`, `{${named},"x":"ü€"}`]);
  expect(first!.isRead).toBe(false);
  expect(first!.object).toHaveProperty('x', 1);
  expect(first!.object).toBe(first!.object);
  expect(second!.object).toHaveProperty('x', 'ü€');
});

test('what a double would round is read digit by digit', () => {
  expect(sight([`{${named},"x":9007199254740993}`])[0]!.object).toHaveProperty('x', 9007199254740993n);
});

test.each([
  ['broken', `{${named},"x":tru}`],
  ['cut off', `{${named},"x":`],
  ['of another name behind its back', `{${named},"metadata":{"name":"db"}}`],
  ['without metadata behind its back', `{${named},"metadata":null}`],
])('a text that is %s is told of, and thrown to whoever looks', (_, text) => {
  const told: ClientError[] = [];
  const [sighting] = sight([text], (error) => told.push(error));
  expect(() => sighting!.object).toThrow(ClientError);
  expect(() => sighting!.object).toThrow(/web/);
  expect(told).toHaveLength(2);
});
