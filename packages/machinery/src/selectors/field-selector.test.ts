import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from '../errors/parse-error.ts';
import { CompiledFieldSelector, parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector reads a selector and prints it in its usual form', () => {
  const cases: [string, string][] = [
    ['', ''],
    [',,', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['b!=c,a=b', 'a=b,b!=c'],
    ['a=', 'a='],
    ['=x', '=x'],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
    ['metadata.name=web,metadata.namespace=default', 'metadata.name=web,metadata.namespace=default'],
  ];
  test.each(cases)('%j', (text, printed) => expect(parseFieldSelector(text).toString()).toBe(printed));
});

describe('parseFieldSelector says what it cannot understand', () => {
  const cases: [string, string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    [`a=${'x'.repeat(11_000)}`, 'selector is longer than 10240 bytes'],
  ];
  test.each(cases)('%.30s', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new ParseError('field selector', message));
  });
});

test('a field that is absent counts as empty', () => {
  const fields = { 'status.phase': 'Running' };

  expect(parseFieldSelector('status.phase=Running,spec.nodeName=').matches(fields)).toBe(true);
  expect(parseFieldSelector('spec.nodeName!=').matches(fields)).toBe(false);
  expect(parseFieldSelector('toString=').matches(fields)).toBe(true);
  expect(parseFieldSelector('').isEmpty).toBe(true);
});

test('a field is looked at once, however many values a selector refuses', () => {
  const text = Array.from({ length: 470 }, (_, i) => `metadata.name!=p${i}`).join(',');
  const selector = parseFieldSelector(`${text},metadata.namespace=web`);
  let looks = 0;
  const fieldsOf = (name: string) => ({
    get 'metadata.name'() {
      looks++;
      return name;
    },
    'metadata.namespace': 'web',
  });

  expect(selector.matches(fieldsOf('other'))).toBe(true);
  expect(looks).toBe(1);
  expect(selector.matches(fieldsOf('p469'))).toBe(false);
});

test('an object is meant just when it meets each requirement', () => {
  const word = fc.constantFrom('', 'a', 'b');
  const requirement = fc.record({
    field: fc.constantFrom('x', 'y'),
    operator: fc.constantFrom('=' as const, '!=' as const),
    value: word,
  });
  const fields = fc.record({ x: word, y: word }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), fields, (requirements, actual) => {
      const meetsEach = requirements.every(
        ({ field, operator, value }) => ((actual[field] ?? '') === value) === (operator === '='),
      );
      const given = actual as Readonly<Record<string, string>>;
      expect(new CompiledFieldSelector(requirements).matches(given)).toBe(meetsEach);
    }),
  );
});

test('exactValue finds the only value a field may have', () => {
  const selector = parseFieldSelector('metadata.name=web,status.phase!=Failed');

  expect(selector.exactValue('metadata.name')).toBe('web');
  expect(selector.exactValue('status.phase')).toBeUndefined();
});

test('map renames and drops', () => {
  const selector = parseFieldSelector('a=1,b=2');
  const renamed = selector.map((item) => (item.field === 'a' ? { ...item, field: 'c' } : undefined));

  expect(renamed.toString()).toBe('c=1');
});

test('what is printed is read back to the same selector', () => {
  const requirement = fc.record({
    field: fc.stringMatching(/^[a-z.]{1,10}$/),
    operator: fc.constantFrom<'=' | '!='>('=', '!='),
    value: fc.string({ maxLength: 10, unit: 'grapheme' }),
  });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), (requirements) => {
      const read = parseFieldSelector(new CompiledFieldSelector(requirements).toString());
      const key = (item: unknown) => JSON.stringify(item);
      expect(read.requirements.map(key).sort()).toEqual(requirements.map(key).sort());
    }),
  );
});

test('no text does more than fail to parse', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: 'binary' }), (text) => {
      try {
        parseFieldSelector(text).matches({});
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
  );
});

test.each(['=', '==', '!='])('%s alone is met by every object', (text) => {
  expect(parseFieldSelector(text).isEmpty).toBe(true);
});
