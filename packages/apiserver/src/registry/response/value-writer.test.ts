import type { JsonObject } from '@pintle/machinery/json';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { expect, test } from 'vitest';
import type { Negotiated } from '../../http/content-negotiation.ts';
import { encodeProtobufObject } from '../../http/protobuf.ts';
import type { ValueWriter } from './value-writer.ts';
import { writerOf } from './value-writer.ts';

const items = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) => ({
    metadata: { name: `c${i}`, labels: { 'a/b': `${i}` } },
    data: { text: 'one\n  two\n', quotes: '"\\n"', empty: '' },
  }));
const list = (count: number, metadata: JsonObject = { resourceVersion: '7', continue: 'x' }): JsonObject => ({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata,
  items: items(count),
});

const whole: Readonly<Record<string, (value: JsonObject) => Uint8Array>> = {
  json: (value) => Buffer.from(`${JSON.stringify(value)}\n`),
  pretty: (value) => Buffer.from(JSON.stringify(value, undefined, 2)),
  yaml: (value) => Buffer.from(stringifyYaml(value)),
  protobuf: encodeProtobufObject,
};

/** The list, written item by item. */
function inItems(writer: ValueWriter, { items: members, ...head }: JsonObject): Uint8Array {
  const list = writer.list({ head, field: 'items', isNullWhenEmpty: false });
  const parts = (members as JsonObject[]).flatMap((item, at) => [...list.item(item, at === 0)]);
  if (parts.length === 0) return list.empty;
  const { opening, closing } = list.around(parts.reduce((bytes, { length }) => bytes + length, 0));
  return Buffer.concat([opening, ...parts, closing]);
}

test.each(Object.keys(whole))('%s of a list is item by item what it would be in one piece', async (name) => {
  const encoding = name === 'pretty' ? 'json' : (name as Negotiated['encoding']);
  const writer = await writerOf({ encoding, pretty: name === 'pretty' });
  for (const count of [0, 1, 2, 3, 50, 207]) {
    for (const value of [list(count), list(count, {})]) {
      expect(Buffer.from(inItems(writer, value)).equals(whole[name]!(value))).toBe(true);
      expect(Buffer.concat([...writer.value(value)]).equals(whole[name]!(value))).toBe(true);
    }
  }
});

test('integers beyond 2^53 keep their digits where people read them', async () => {
  const writer = await writerOf({ encoding: 'json', pretty: true });
  const item = { size: 9007199254740993n, text: '"{[:,' };
  for (const value of [item, { items: [item, item] }]) {
    const text = Buffer.concat([...writer.value(value)]).toString();
    expect(text).toContain('"size": 9007199254740993,\n');
    const numbers = text.replaceAll('9007199254740993', '7');
    expect(numbers).toBe(JSON.stringify(JSON.parse(numbers), undefined, 2));
  }
});
