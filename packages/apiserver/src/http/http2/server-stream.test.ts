import { expect, test } from 'vitest';
import { RequestBody } from './server-stream.ts';

const open = (announced?: number): { body: RequestBody; taken: number[] } => {
  const taken: number[] = [];
  return { body: new RequestBody(announced, (bytes) => taken.push(bytes)), taken };
};

test('what comes while somebody looks at what came before is not lost', async () => {
  const { body, taken } = open();
  body.push(Buffer.from('ab'));
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text === 'ab') {
      body.push(Buffer.from('cd'));
      body.push(Buffer.from('ef'));
      body.end();
    }
  }
  expect(text).toBe('abcdef');
  expect(taken).toEqual([2, 4]);
});

test('all of it is given at once when it is here, and when it has come', async () => {
  const { body } = open(4);
  body.push(Buffer.from('ab'));
  const later = body.collect(10);
  body.push(Buffer.from('cd'));
  body.end();
  expect(Buffer.from((await later)!).toString()).toBe('abcd');
  const whole = open(0);
  whole.body.end();
  expect(whole.body.collect(10)).toHaveLength(0);
});

test('it is not collected beyond what is wanted', async () => {
  const { body } = open();
  body.push(Buffer.alloc(6));
  const collected = body.collect(10);
  body.push(Buffer.alloc(6));
  expect(await collected).toBeUndefined();
  const whole = open();
  whole.body.push(Buffer.alloc(11));
  whole.body.end();
  expect(whole.body.collect(10)).toBeUndefined();
});

test('nothing is told to be taken before somebody takes it, and all that is dropped', () => {
  const { body, taken } = open();
  body.push(Buffer.alloc(6));
  expect(taken).toEqual([]);
  body.drop();
  body.push(Buffer.alloc(2));
  expect(taken).toEqual([6, 2]);
});

test('more or less than was announced is refused', () => {
  expect(open(3).body.push(Buffer.alloc(4))).toBe(false);
  const { body } = open(3);
  body.push(Buffer.alloc(2));
  expect(body.end()).toBe(false);
});

test('one that breaks off fails whoever waits for it', async () => {
  const { body } = open();
  body.push(Buffer.from('a'));
  const collected = Promise.resolve(body.collect(10));
  body.break();
  await expect(collected).rejects.toThrow('the connection was closed before the body was complete');
});
