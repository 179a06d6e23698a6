import type { JsonObject } from '@pintle/machinery/json';
import { finish } from '@pintle/machinery/rules';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { expect, test } from 'vitest';
import type { Negotiated } from '../http/content-negotiation.ts';
import { encodeProtobufObject } from '../storage/protobuf.ts';
import { ITEMS_PER_STEP, writerOf } from './write-value.ts';

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

test.each(Object.keys(whole))('%s of a long list is what it would be in one piece, and pauses', async (name) => {
  const encoding = name === 'pretty' ? 'json' : (name as Negotiated['encoding']);
  const write = await writerOf({ encoding, pretty: name === 'pretty' });
  for (const count of [0, 1, ITEMS_PER_STEP, ITEMS_PER_STEP + 1, 3 * ITEMS_PER_STEP, 3 * ITEMS_PER_STEP + 7]) {
    for (const value of [list(count), list(count, {})]) {
      expect(Buffer.from(finish(write(value))).equals(whole[name]!(value))).toBe(true);
    }
  }
  expect([...write(list(10 * ITEMS_PER_STEP))].length).toBeGreaterThanOrEqual(10);
});
