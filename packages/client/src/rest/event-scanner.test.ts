import { parseJson } from '@pintle/machinery/json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventScanner, type ScanOptions } from './event-scanner.ts';
import { encodingOfJson } from './json-scanner.ts';

/** The event, with the text of its object. */
function scan(line: Buffer, options?: ScanOptions) {
  // It stands between others, which must not matter.
  const around = Buffer.concat([Buffer.from('}"'), line, Buffer.from('"}')]);
  const scanner = new EventScanner(options);
  if (!scanner.scan(around, 2, 2 + line.length)) return undefined;
  const { type, key, resourceVersion, objectStart, objectEnd, cutStart, cutEnd } = scanner;
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
  test('an escaped name', () => check('{"metadata":{"name":"w\\u0065b","resourceVersion":"7"}}'));
  test('a name that is none', () => check('{"metadata":{"name":7,"resourceVersion":"7"}}'));
  test('two names', () => check('{"metadata":{"name":"web","name":"db","resourceVersion":"7"}}'));
  test('no version', () => check('{"metadata":{"name":"web"}}'));
  test('no metadata', () => check('{"kind":"Fruit"}'));
  test('spaces', () => check(`{ ${metadata} }`));
  test('too much', () => check(`{${metadata}}}`));
  test('nonsense in metadata', () => check('{"metadata":{"name":"web","resourceVersion":"7","labels":{"a"}}}'));
  test('an envelope in another order', () => {
    expect(scan(bytes(`{"object":{${metadata}},"type":"ADDED"}`))).toBeUndefined();
  });
});

test('one scanner serves many lines: nothing of the one before is left', () => {
  const scanner = new EventScanner({ keepsManagedFields: false });
  const of = (object: string) => {
    const whole = line(object);
    const isKnown = scanner.scan(whole, 0, whole.length);
    return isKnown && [scanner.key, scanner.resourceVersion, scanner.cutEnd > 0];
  };
  expect(of(`{"metadata":{"managedFields":[{}],"name":"a","namespace":"b","resourceVersion":"1"}}`)).toEqual([
    'b/a',
    '1',
    true,
  ]);
  expect(of(`{"metadata":{"name":"c","resourceVersion":"2"}}`)).toEqual(['c', '2', false]);
  expect(of(`{"metadata":{"name":"d"}}`)).toBe(false);
});

describe('must be read exactly:', () => {
  const check = (value: string): void => {
    const whole = bytes(`{"x":${value}}`);
    expect(encodingOfJson(whole, 0, whole.length)).toBeUndefined();
  };
  test('an integer beyond 2^53', () => check('9007199254740993'));
  test('an exponent', () => check('1e400'));
  test('half a character', () => check('"\\ud800"'));
  test('too much', () => check('1}'));
  test('depth', () => check(`${'['.repeat(300)}${']'.repeat(300)}`));
  test.each(['tru', 'nul', '01', '1.', '.5', '+1', '-', '"a', '[1,]', '{"a"}', '{"a":}', '{,}', '[1 2]', '\u0007'])(
    'nonsense: %s',
    check,
  );
});

test('what need not be read exactly reads as it stands', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(255), (value, position, byte) => {
      const whole = bytes(value);
      const mutated = Buffer.from(whole);
      mutated[position % mutated.length] = byte;
      for (const candidate of [whole, mutated]) {
        const encoding = encodingOfJson(candidate, 0, candidate.length);
        if (encoding !== undefined) expect(JSON.parse(candidate.toString(encoding))).toEqual(parseJson(candidate));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('whatever a scan finds is what the line says', () => {
  const json = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(json, fc.nat(), fc.nat(255), (value, position, byte) => {
      const whole = line(`{${metadata},"spec":${value}}`);
      const mutated = Buffer.from(whole);
      mutated[position % mutated.length] = byte;
      for (const candidate of [whole, mutated]) {
        const scanned = scan(candidate);
        const event = scanned && eventOf(candidate);
        if (scanned === undefined || event === undefined) continue;
        expect(JSON.parse(scanned.text)).toEqual(event.object);
        expect(scanned.type).toBe(event.type);
        expect(scanned.resourceVersion).toBe(event.object.metadata.resourceVersion);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** Behind the metadata it may be broken, which is found when it is read. */
function eventOf(candidate: Buffer) {
  try {
    return JSON.parse(candidate.toString());
  } catch {
    return undefined;
  }
}
