import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ScanOptions, scanEvent } from './event-scanner.ts';

/** The event, with the text of its object. */
function scan(line: Buffer, options?: ScanOptions) {
  // It stands between others, which must not matter.
  const around = Buffer.concat([Buffer.from('}"'), line, Buffer.from('"}')]);
  const event = scanEvent(around, 2, 2 + line.length, options);
  if (event === undefined) return undefined;
  const { type, key, resourceVersion, objectStart, objectEnd, cutStart, cutEnd } = event;
  const text = around.toString('utf8', objectStart, cutEnd === 0 ? objectEnd : cutStart);
  const rest = cutEnd === 0 ? '' : around.toString('utf8', cutEnd, objectEnd);
  return { type, key, resourceVersion, text: text + rest };
}

const bytes = (text: string) => Buffer.from(text);
const line = (object: string, type = 'ADDED') => bytes(`{"type":"${type}","object":${object}}`);
const metadata = '"metadata":{"name":"web","namespace":"apps","resourceVersion":"7"}';

test('an event is known by type, key and version; its object is left as text', () => {
  const object = `{"kind":"Fruit",${metadata},"spec":{"a":[1,-2.5,true,null,{}],"b":"\\n\\u003c"}}`;
  expect(scan(line(object))).toEqual({ type: 'ADDED', key: 'apps/web', resourceVersion: '7', text: object });
});

describe('managedFields are left out', () => {
  const fields = '"managedFields":[{"manager":"a]}","fieldsV1":{"f:x":{}}}]';
  const named = '"name":"web","resourceVersion":"7"';
  test.each([
    ['first', `{"metadata":{${fields},${named}},"x":1}`],
    ['between', `{"metadata":{"name":"web",${fields},"resourceVersion":"7"},"x":1}`],
    ['last', `{"metadata":{${named},${fields}},"x":1}`],
  ])('%s', (_, object) => {
    const scanned = scan(line(object), { keepsManagedFields: false });
    expect(JSON.parse(scanned!.text)).toEqual({ metadata: { name: 'web', resourceVersion: '7' }, x: 1 });
    expect(scan(line(object))?.text).toBe(object);
  });
  test.each([
    ['brackets in names', '{"manager":"a]}","fieldsV1":{"f:}],":{},"f:[x}],\\"y":{}}}'],
    ['many brackets in names', `{"fieldsV1":{${'"f:]":{},'.repeat(9)}"f:x":{}}}`],
    ['lists, which no server has in them', '{"x":[{}],"y":[[{}],{}]}'],
    ['none', ''],
  ])('whatever stands in them: %s', (_, entry) => {
    const object = `{"metadata":{"managedFields":[${entry}],${named}},"x":"}],\\"a"}`;
    expect(scan(line(object), { keepsManagedFields: false })?.text).toBe(`{"metadata":{${named}},"x":"}],\\"a"}`);
  });
  test('of the object itself, not those it happens to hold', () => {
    const object = `{${metadata},"spec":{"metadata":{"managedFields":[1]},"managedFields":2}}`;
    expect(scan(line(object), { keepsManagedFields: false })?.text).toBe(object);
  });
});

describe('is read as a whole:', () => {
  const check = (object: string): void => expect(scan(line(object))).toBeUndefined();
  test('an integer beyond 2^53', () => check(`{${metadata},"x":9007199254740993}`));
  test('an exponent', () => check(`{${metadata},"x":1e400}`));
  test('half a character', () => check(`{${metadata},"x":"\\ud800"}`));
  test('an escaped name', () => check('{"metadata":{"name":"w\\u0065b","resourceVersion":"7"}}'));
  test('a name that is none', () => check('{"metadata":{"name":7,"resourceVersion":"7"}}'));
  test('two names', () => check(`{${metadata},${metadata}}`));
  test('no version', () => check('{"metadata":{"name":"web"}}'));
  test('spaces', () => check(`{ ${metadata} }`));
  test('too much', () => check(`{${metadata}}}`));
  test('depth', () => check(`{${metadata},"x":${'['.repeat(300)}${']'.repeat(300)}}`));
  test.each(['tru', 'nul', '01', '1.', '.5', '+1', '-', '"a', '[1,]', '{"a"}', '{"a":}', '{,}', '[1 2]', '\u0007'])(
    'nonsense: %s',
    (value) => check(`{${metadata},"x":${value}}`),
  );
});

test('whatever text it gives reads as the line does', () => {
  const json = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(json, fc.nat(), fc.nat(255), (value, position, byte) => {
      const whole = line(`{${metadata},"spec":${value}}`);
      const mutated = Buffer.from(whole);
      mutated[position % mutated.length] = byte;
      for (const candidate of [whole, mutated]) {
        const scanned = scan(candidate);
        if (scanned === undefined) continue;
        const event = JSON.parse(candidate.toString());
        expect(JSON.parse(scanned.text)).toEqual(event.object);
        expect(scanned.type).toBe(event.type);
        expect(scanned.resourceVersion).toBe(event.object.metadata.resourceVersion);
      }
    }),
    { numRuns: 2_000 },
  );
});
