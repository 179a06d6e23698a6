import { expect, test } from 'vitest';
import { ProtoWriter } from './proto-writer.ts';

test('ProtoWriter writes numbers, texts and messages as protobuf has them', () => {
  const inner = new ProtoWriter().string(1, 'é').finish();
  const bytes = new ProtoWriter().integer(1, 300).double(2, 1.5).bytes(31, inner).finish();
  expect(Buffer.from(bytes).toString('hex')).toBe('08ac02' + '11000000000000f83f' + 'fa01' + '04' + '0a02c3a9');
});

test('ProtoWriter takes texts of any length', () => {
  const text = 'x'.repeat(100_000);
  const bytes = new ProtoWriter().string(1, 'a').string(2, text).finish();
  expect(bytes.length).toBe(3 + 1 + 3 + text.length);
  expect(Buffer.from(bytes.subarray(7)).toString()).toBe(text);
});
