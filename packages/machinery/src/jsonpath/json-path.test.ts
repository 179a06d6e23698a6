import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../json/value.ts';
import { compileJsonPath, compileJsonPathTemplate } from './json-path.ts';
import { JsonPathError } from './json-path-error.ts';

const object: JsonValue = {
  kind: 'Pod',
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop', plain: 'x' } },
  spec: {
    replicas: 3,
    big: 9007199254740993n,
    containers: [
      { name: 'a', image: 'one', ports: [80, 81] },
      { name: 'b', image: 'two', ports: [] },
      { name: 'c', image: 'three' },
    ],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 2 },
      { type: 'Odd', status: 'False', count: 10 },
    ],
    nothing: null,
  },
};

describe('compileJsonPath finds', () => {
  const cases: [string, JsonValue[]][] = [
    ['.kind', ['Pod']],
    ['kind', ['Pod']],
    ['{.kind}', ['Pod']],
    ['$.kind', ['Pod']],
    ['.metadata.name', ['web']],
    ['.metadata.labels.app\\.kubernetes\\.io/name', ['shop']],
    [".metadata.labels['app.kubernetes.io/name']", []],
    [".metadata['labels.plain']", ['x']],
    ['.', []],
    [".metadata.labels['app\\.kubernetes\\.io/name']", ['shop']],
    ['.spec.containers[0].name', ['a']],
    ['.spec.containers[-1].name', ['c']],
    ['.status.nothing[0]', []],
    ['.spec.containers[2:2]', []],
    ['.spec.containers[*].name', ['a', 'b', 'c']],
    ['.spec.containers[:].name', ['a', 'b', 'c']],
    ['.spec.containers[1:].name', ['b', 'c']],
    ['.spec.containers[:-1].name', ['a', 'b']],
    ['.spec.containers[0:3:2].name', ['a', 'c']],
    ['.spec.containers[0,2].name', ['a', 'c']],
    [".metadata['name','none']", ['web']],
    ['.metadata.labels.*', ['shop', 'x']],
    ['..name', ['web', 'a', 'b', 'c']],
    ['..ports[*]', [80, 81]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.status.conditions[?(@.type != "Ready")].type', ['Odd']],
    ['.status.conditions[?(@.count>2)].type', ['Odd']],
    ['.status.conditions[?(@.count>=2)].type', ['Ready', 'Odd']],
    ['.status.conditions[?(@.none<"x")].type', []],
    ['.spec.containers[?(@.ports)].name', ['a', 'b']],
    ['.spec.containers[?(@.ports[*])].name', ['a']],
    ['.spec.containers[?(@.ports[1])].name', ['a', 'b']],
    ['.status.nothing', [null]],
    ['.status.none.deeper', []],
    ['.kind.deeper', []],
    ['.constructor', []],
    ['.__proto__', []],
    ['.spec.containers.length', []],
  ];
  test.each(cases)('%s', (path, expected) => expect(compileJsonPath(path).find(object)).toEqual(expected));

  test('the whole object with a lone dollar', () => expect(compileJsonPath('$').first(object)).toBe(object));

  test('an own member called __proto__', () => {
    expect(compileJsonPath('.__proto__').find(JSON.parse('{"__proto__":1}'))).toEqual([1]);
  });
});

describe('what cannot be evaluated is told', () => {
  const cases: [string, string][] = [
    ['.spec.containers[7].name', 'array index out of bounds: index 7, length 3'],
    ['.spec.containers[*].ports[0]', 'array index out of bounds: index 0, length 0'],
    ['.spec.containers[-4]', 'array index out of bounds: index -4, length 3'],
    ['.spec.containers[1:9]', 'array index out of bounds: index 8, length 3'],
    ['.spec.containers[2:1]', 'starting index 2 is greater than ending index 1'],
    ['.metadata.labels[*]', 'value is not a list'],
    ['.metadata.labels[0]', 'value is not a list'],
    ['.metadata[?(@.name)]', 'value is not a list'],
    ['.spec.containers[?(@.ports[*]==80)]', 'can only compare one element at a time'],
    ['.spec.containers[?(@.ports[0]==80)]', 'array index out of bounds: index 0, length 0'],
    ['.status.conditions[?(@.count<"x")].type', 'incompatible types for comparison'],
    ['.status.conditions[?(@.count!="x")].type', 'incompatible types for comparison'],
    ['.spec.containers[?(@.ports==80)]', 'invalid type for comparison'],
  ];

  test.each(cases)('%s', (path, message) => {
    expect(() => compileJsonPath(path).find(object)).toThrow(JsonPathError);
    expect(() => compileJsonPath(path).find(object)).toThrow(message);
  });

  test('whole numbers and others are of different types', () => {
    const values = (path: string) => compileJsonPath(path).find([{ n: 1 }, { n: 2n }]);
    expect(values('[?(@.n>1)].n')).toEqual([2n]);
    expect(() => compileJsonPath('[?(@.n>1)].n').find([{ n: 2 }, { n: 2.5 }])).toThrow('incompatible types');
  });
});

describe('compileJsonPathTemplate renders', () => {
  const cases: [string, string][] = [
    ['{.metadata.name}', 'web'],
    ['name: {.metadata.name}!', 'name: web!'],
    ['{.spec.containers[*].name}', 'a b c'],
    ['{.spec.containers[0]}', '{"name":"a","image":"one","ports":[80,81]}'],
    ['{.none}', ''],
    ['{.spec.replicas}{.spec.big}', '39007199254740993'],
    ['{range .spec.containers[*]}{.name}={.image}{"\\n"}{end}', 'a=one\nb=two\nc=three\n'],
    ['{range .spec.containers[*]}{.name}:{range .ports[*]} {@}{end};{end}', 'a: 80 81;b:;c:;'],
    ["{range .status.conditions[?(@.count>2)]}{.type}{'\\t'}{end}", 'Odd\t'],
    ['{.status.nothing}', '<nil>'],
    ['no braces', 'no braces'],
    ['', ''],
  ];
  test.each(cases)('%s', (template, text) => expect(compileJsonPathTemplate(template).render(object)).toBe(text));
});

describe('what cannot be read is told', () => {
  const cases: [string, string][] = [
    ['{.x', 'unclosed action'],
    ['{.x[}', 'unterminated array'],
    ['{.x[a]}', 'invalid array index a'],
    ['{.x[]}', 'invalid array index '],
    ['{.x["a"]}', 'invalid array index "a"'],
    ['{.x[ 0 ]}', 'invalid array index  0 '],
    ["{.x['a' ]}", "invalid array index 'a' "],
    ['{.x[-]}', 'invalid array index -'],
    ['{.x[0:3:0]}', 'step must be > 0'],
    ['{.x[?(@.a}', 'unterminated filter'],
    ['{.x[?(@.a)}', 'unclosed array expect ]'],
    ['{.x[?(@.a=~"b")]}', 'unrecognized filter operator =~'],
    ['{"abc}', 'unterminated quoted string'],
    ['{....x}', 'invalid multiple recursive descent'],
    ['{nonsense}', 'unrecognized identifier nonsense'],
    ['{]}', "unrecognized character in action: ']'"],
    ['{end}', 'not in range, nothing to end'],
    ['{range .x}', 'unterminated range'],
    ['{range .a}'.repeat(40), 'too many nested ranges'],
    ['.'.repeat(5_000), 'path is longer than 4096 characters'],
  ];
  test.each(cases)('%.30s', (template, message) => {
    expect(() => compileJsonPathTemplate(template)).toThrow(JsonPathError);
    expect(() => compileJsonPathTemplate(template)).toThrow(message);
  });
});

test('a path that multiplies its work is ended', () => {
  const wide: JsonValue = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => [1, 2, 3]));
  const greedy = compileJsonPath('[*,*,*,*][*,*,*,*][*,*,*,*]..[*,*,*]');

  expect(() => greedy.find(wide)).toThrow('path visits more than 1000000 values');
});

test('depth is no danger', () => {
  let deep: JsonValue = { leaf: 1 };
  for (let level = 0; level < 100_000; level++) deep = { a: deep };

  expect(compileJsonPath('..leaf').find(deep)).toEqual([1]);
});

test('no text does more than fail to compile', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 60, unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '.',
          '..',
          '[',
          ']',
          '?(',
          ')',
          '@',
          '$',
          '*',
          ':',
          ',',
          '-1',
          '0',
          "'",
          '"',
          '\\',
          'a',
          '==',
          'range ',
          'end',
          ' ',
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      for (const compile of [
        (path: string) => compileJsonPath(path).find(object),
        (path: string) => compileJsonPathTemplate(path).render(object),
      ]) {
        try {
          compile(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPathError);
        }
      }
    }),
    { numRuns: 3_000 },
  );
});
