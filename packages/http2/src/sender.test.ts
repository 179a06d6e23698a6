import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Outbox } from './sender.ts';

/** A socket that records what leaves together, and an outbox on it whose bodies leave when `sendBodies` is called. */
function setUp() {
  const left: string[] = [];
  const join = (chunks: readonly { readonly chunk: Buffer }[]): string =>
    chunks.map(({ chunk }) => `${chunk}`).join('+');
  const socket = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      left.push(`${chunk}`);
      done();
    },
    writev: (chunks, done) => {
      left.push(join(chunks));
      done();
    },
  });
  const later: (() => void)[] = [];
  const outbox = new Outbox(socket, { later: (send) => void later.push(send) });
  return { outbox, left, later, sendBodies: () => void later.shift()?.() };
}

const bytes = (text: string): Buffer => Buffer.from(text);
const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test('a part of a body leaves when it is its turn, what else is written at the end of the tick', async () => {
  const { outbox, left, sendBodies } = setUp();
  outbox.writeBody(bytes('event'));
  await tick();
  expect(left).toEqual([]);
  sendBodies();
  expect(left).toEqual(['event']);
  outbox.write(bytes('head'));
  expect(left).toEqual(['event']);
  await tick();
  expect(left).toEqual(['event', 'head']);
});

test('what is written takes the bodies before it along, so that bytes keep their order', async () => {
  const { outbox, left, sendBodies } = setUp();
  outbox.writeBody(bytes('event'));
  outbox.write(bytes('head'));
  outbox.writeBody(bytes('body'));
  await tick();
  expect(left).toEqual(['event+head+body']);
  sendBodies();
  expect(left).toEqual(['event+head+body']);
});

test('all bodies that are written until their turn leave together, and wait for one turn', () => {
  const { outbox, left, later, sendBodies } = setUp();
  for (const event of ['a', 'b', 'c']) outbox.writeBody(bytes(event));
  expect(later).toHaveLength(1);
  sendBodies();
  expect(left).toEqual(['a+b+c']);
  outbox.writeBody(bytes('d'));
  expect(later).toHaveLength(1);
});

test('without turns, bodies leave at the end of the tick', async () => {
  const left: string[] = [];
  const socket = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      left.push(`${chunk}`);
      done();
    },
  });
  new Outbox(socket).writeBody(bytes('body'));
  expect(left).toEqual([]);
  await tick();
  expect(left).toEqual(['body']);
});
