import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { parseJson } from './parse.ts';

const DOCUMENTS = 40;
const TEXT_BYTES = 1024 * 1024;
const MAX_HELD_BYTES = 10 * 1024 * 1024;

function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A large object with a number that only the exact parser reads. */
function documentWith(label: string): Uint8Array {
  return Buffer.from(`{"label":"${label}","n":9007199254740993,"text":"${'x'.repeat(TEXT_BYTES)}"}`);
}

test.each([
  ['as it is', 'a-label-longer-than-twelve-characters'],
  ['with an escape at its end', 'a-label-longer-than-twelve-characters\\u002d'],
  ['with an escape at its beginning', '\\u002da-label-longer-than-twelve-characters'],
  ['beyond Latin', 'ein-Etikett-länger-als-zwölf-Zeichen-λ'],
])('a value that is kept, written %s, does not keep its document', (_how, label) => {
  const kept: unknown[] = [];
  const before = heldBytes();
  for (let i = 0; i < DOCUMENTS; i++) {
    const { label: read } = parseJson(documentWith(`${label}-${i}`)) as { label: string };
    kept.push(read);
  }
  expect(heldBytes() - before).toBeLessThan(MAX_HELD_BYTES);
  expect(kept).toHaveLength(DOCUMENTS);
  expect(kept[7]).toBe(JSON.parse(`"${label}-7"`));
});
