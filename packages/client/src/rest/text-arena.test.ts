import type { KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { LazyObject } from './lazy-object.ts';
import { TextArena } from './text-arena.ts';

/** Returns lazy objects of these texts. */
function lazyObjects(texts: readonly string[], onUnreadable?: (error: ClientError) => void): LazyObject[] {
  const arena = new TextArena<KubernetesObject>({
    transform: (object) => object,
    ...(onUnreadable && { onUnreadable }),
  });
  const objects = texts.map((text) => {
    const bytes = Buffer.from(text);
    return LazyObject.ofText('web', '7', arena, arena.begin(bytes, 0, bytes.length), arena.size);
  });
  arena.seal();
  return objects;
}

const named = '"metadata":{"name":"web","resourceVersion":"7"}';

test('an object is read from its text when somebody looks, once', () => {
  const [first, second] = lazyObjects([`{${named},"x":1}`, `{${named},"x":"ü€"}`]);
  expect(first!.isRead).toBe(false);
  expect(first!.value).toHaveProperty('x', 1);
  expect(first!.value).toBe(first!.value);
  expect(second!.value).toHaveProperty('x', 'ü€');
});

test('what a double would round is read digit by digit', () => {
  expect(lazyObjects([`{${named},"x":9007199254740993}`])[0]!.value).toHaveProperty('x', 9007199254740993n);
});

test.each([
  ['broken', `{${named},"x":tru}`],
  ['cut off', `{${named},"x":`],
  ['of another name behind its back', `{${named},"metadata":{"name":"db"}}`],
  ['without metadata behind its back', `{${named},"metadata":null}`],
])('a text that is %s is told of, and thrown to whoever looks', (_, text) => {
  const told: ClientError[] = [];
  const [lazy] = lazyObjects([text], (error) => told.push(error));
  expect(() => lazy!.value).toThrow(ClientError);
  expect(() => lazy!.value).toThrow(/web/);
  expect(told).toHaveLength(2);
});
