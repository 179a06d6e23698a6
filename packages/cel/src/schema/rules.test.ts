import { describeFieldError, FieldPath } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { finish, type Steps } from '@pintle/machinery/rules';
import { parseSchema } from '@pintle/machinery/schema';
import { describe, expect, test } from 'vitest';
import { ruleEvaluatorOf } from './rule-evaluator.ts';
import { validateRules } from './validate-rules.ts';

type Rule = string | JsonObject;

const rules = (...all: readonly Rule[]): JsonObject => ({
  'x-kubernetes-validations': all.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const object = (properties: JsonObject, ...all: readonly Rule[]): JsonObject => ({
  type: 'object',
  properties,
  ...(all.length > 0 && rules(...all)),
});
const TEXT: JsonObject = { type: 'string', maxLength: 100 };
const INT: JsonObject = { type: 'integer' };

function refusals(schema: JsonObject): string[] {
  return finish(validateRules(schema, FieldPath.of('schema'), [])).map(describeFieldError);
}

function verdict(
  schema: JsonObject,
  value: JsonValue,
  previous?: JsonValue,
): { errors: string[]; warnings: readonly string[] } {
  const { errors, warnings } = ruleEvaluatorOf(parseSchema(schema))!.evaluate(value, previous);
  return { errors: errors.map(describeFieldError), warnings };
}

const broken = (schema: JsonObject, value: JsonValue, previous?: JsonValue) => verdict(schema, value, previous).errors;

describe('the rules of a definition', () => {
  test('are checked against the types of the schema', () => {
    expect(refusals(object({ a: TEXT }, 'self.b == 1'))).toEqual([
      'schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.b == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ' +
        "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^",
    ]);
  });

  test.each<[string, JsonObject]>([
    [
      'fields by their escaped names',
      object(
        { 'a-b': TEXT, 'c.d': TEXT, namespace: TEXT, e__f: TEXT },
        "self.a__dash__b == self.c__dot__d && self.namespace == self.__namespace__ && self.e__underscores__f == ''",
      ),
    ],
    ['the name and kind of the object', object({}, "self.metadata.name == self.kind && self.apiVersion == ''")],
    [
      'dates and durations',
      object(
        { t: { type: 'string', format: 'date-time' }, d: { type: 'string', format: 'duration' } },
        "self.t + self.d > timestamp('2020-01-01T00:00:00Z')",
      ),
    ],
    [
      'what is an integer or a string',
      object({ p: { 'x-kubernetes-int-or-string': true } }, "type(self.p) == int ? self.p > 1 : self.p == '1%'"),
    ],
    [
      'oldSelf of keyed items',
      object({
        l: {
          type: 'array',
          maxItems: 3,
          items: object({ k: TEXT }, 'self == oldSelf'),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
    ],
  ])('may speak of %s', (_, schema) => {
    expect(refusals(schema)).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    [
      'something that is no bool',
      object({ a: { ...TEXT, ...rules('self') } }),
      'cel expression must evaluate to a bool',
    ],
    [
      'fields that are preserved but unknown',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules('self.a == 1') },
      "undefined field 'a'",
    ],
    ['metadata beyond the name', object({}, 'has(self.metadata.labels)'), "undefined field 'labels'"],
    [
      'oldSelf of items that cannot be told apart',
      object({ l: { type: 'array', maxItems: 3, items: { ...TEXT, ...rules('self == oldSelf') } } }),
      'oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l]',
    ],
    [
      'an option without its variable',
      object({ a: { ...INT, ...rules({ rule: 'self > 0', optionalOldSelf: true }) } }),
      'may not be set if oldSelf is not used in rule',
    ],
    [
      'a message that is no text',
      object({ a: { ...INT, ...rules({ rule: 'self > 0', messageExpression: 'self' }) } }),
      'messageExpression must evaluate to a string',
    ],
    [
      'objects of different places as if they were alike',
      object({ a: object({ x: INT }), b: object({ x: INT }) }, 'self.a == self.b'),
      "found no matching overload for '_==_' applied to '(selfType1.a, selfType1.b)'",
    ],
  ])('may not have %s', (_, schema, complaint) => {
    expect(refusals(schema).join('\n')).toContain(complaint);
  });

  test('may not cost more than any object can afford', () => {
    const list = { type: 'array', items: { type: 'string' } };
    expect(refusals(object({ l: { ...list, ...rules('self.all(x, self.all(y, x == y))') } }))).toMatchObject([
      expect.stringContaining('estimated rule cost exceeds budget by factor of more than 100x'),
      expect.stringContaining('contributed to estimated rule cost total'),
      expect.stringContaining(
        'schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget',
      ),
    ]);
    expect(
      refusals(object({ l: { ...list, maxItems: 50, ...rules('self.all(x, self.all(y, x == y || true))') } })),
    ).not.toEqual([]);
    expect(
      refusals(
        object({ l: { type: 'array', maxItems: 50, items: TEXT, ...rules('self.all(x, self.all(y, x == y))') } }),
      ),
    ).toEqual([]);
  });

  test('name the outermost list whose items cannot be told apart', () => {
    const inner = { type: 'array', maxItems: 3, items: { ...TEXT, ...rules('self == oldSelf') } };
    expect(refusals(object({ l: { type: 'array', maxItems: 3, items: inner } }))).toEqual([
      expect.stringMatching(/uncorrelatable portion of the schema within schema\.properties\[l\]$/),
    ]);
  });

  test('with an optional oldSelf hold for defaults where nothing was before', () => {
    const defaulted = (rule: string) => ({ ...INT, default: 1, ...rules({ rule, optionalOldSelf: true }) });
    expect(refusals(object({ a: defaulted('oldSelf.hasValue() || self > 1') }))).toEqual([
      'schema.properties[a].default: Invalid value: 1: failed rule: oldSelf.hasValue() || self > 1',
    ]);
    expect(refusals(object({ a: defaulted('!oldSelf.hasValue() || self > 1') }))).toEqual([
      'schema.properties[a].default: Invalid value: 1: failed rule: !oldSelf.hasValue() || self > 1',
    ]);
    expect(refusals(object({ a: defaulted('oldSelf.orValue(1) == self') }))).toEqual([]);
    expect(refusals(object({ a: { ...INT, default: 1, ...rules('oldSelf == self') } }))).toEqual([]);
  });

  test('hold for defaults', () => {
    expect(refusals(object({ a: { ...INT, default: 1, ...rules('self > 1') } }))).toEqual([
      'schema.properties[a].default: Invalid value: 1: failed rule: self > 1',
    ]);
  });

  test('are left alone in and above what is wrong otherwise', () => {
    const misused = [
      { reason: 'FieldValueForbidden', field: 'schema.properties[a].uniqueItems', body: 'Forbidden' },
    ] as const;
    const nonsense = { ...TEXT, ...rules('nonsense') };
    const schema = object({ a: { type: 'array', items: TEXT, ...rules('nonsense') }, b: nonsense }, 'nonsense');
    const errors = finish(validateRules(schema, FieldPath.of('schema'), misused));
    expect(errors.map(({ field }) => field)).toEqual(['schema.properties[b].x-kubernetes-validations[0].rule']);
  });

  test('may not fill a book', () => {
    const long = `self.a == '${'x'.repeat(90_000)}'`;
    expect(refusals(object({ a: TEXT }, long, long, long)).join('\n')).toContain(
      'rules of a schema may not have more than',
    );
  });
});

describe('an object', () => {
  test('is held to the rules of all its parts, by their paths', () => {
    const schema = object({
      spec: object(
        {
          min: INT,
          max: INT,
          l: { type: 'array', items: { ...TEXT, ...rules("self != 'bad'") } },
          m: { type: 'object', additionalProperties: { ...INT, ...rules('self > 0') } },
        },
        'self.min <= self.max',
      ),
    });
    expect(broken(schema, { spec: { min: 2, max: 1, l: ['a', 'bad'], m: { x: 0 } } })).toEqual([
      'spec: Invalid value: failed rule: self.min <= self.max',
      `spec.l[1]: Invalid value: "bad": failed rule: self != 'bad'`,
      'spec.m[x]: Invalid value: 0: failed rule: self > 0',
    ]);
    expect(broken(schema, { spec: { min: 2 } })).toEqual([
      'spec: Invalid value: "object": no such key: max evaluating rule: self.min <= self.max',
    ]);
  });

  test('null is skipped by its own rule and absent to the others', () => {
    const schema = object({ a: { ...TEXT, nullable: true, ...rules('false') } }, '!has(self.a)');
    expect(broken(schema, { a: null })).toEqual([]);
  });

  test('rules say what they are told to say, where they are told to', () => {
    const schema = object(
      { a: TEXT, m: { type: 'object', additionalProperties: TEXT } },
      { rule: 'false', message: ' stated ', fieldPath: '.a', reason: 'FieldValueForbidden' },
      { rule: 'false', messageExpression: "'said of ' + self.a", fieldPath: ".m['x.y']" },
      { rule: 'false', message: 'else', messageExpression: "'two\\nlines'" },
      { rule: 'false', messageExpression: "'x'.substring(5)" },
    );
    expect(broken(schema, { a: 'me' })).toEqual([
      'a: Forbidden: stated',
      'm[x.y]: Invalid value: said of me',
      '<nil>: Invalid value: else',
      '<nil>: Invalid value: failed rule: false',
    ]);
  });

  test('transitions are judged where there was something before', () => {
    const item = object({ k: TEXT, v: { ...INT, ...rules('self >= oldSelf') } });
    const schema = object({
      l: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      o: { ...INT, ...rules({ rule: 'oldSelf.orValue(0) < self', optionalOldSelf: true }) },
    });
    expect(broken(schema, { l: [{ k: 'a', v: 1 }], o: 0 })).toEqual([
      'o: Invalid value: 0: failed rule: oldSelf.orValue(0) < self',
    ]);
    const before = {
      l: [
        { k: 'a', v: 2 },
        { k: 'b', v: 2 },
      ],
      o: 1,
    };
    expect(
      broken(
        schema,
        {
          l: [
            { k: 'b', v: 1 },
            { k: 'a', v: 2 },
            { k: 'c', v: 0 },
          ],
          o: 2,
        },
        before,
      ),
    ).toEqual(['l[0].v: Invalid value: 1: failed rule: self >= oldSelf']);
  });

  test('optional values of before are known without their schema', () => {
    const isSame = { rule: 'self == oldSelf.value()', optionalOldSelf: true };
    const date = { type: 'string', format: 'date' };
    const schema = object({
      nulls: object({ a: { ...TEXT, nullable: true } }, isSame, 'self == oldSelf'),
      dates: object({ 'a-b': date }, isSame, 'self == oldSelf'),
      escaped: object({ 'a-b': TEXT }, isSame, 'self == oldSelf'),
      date: { ...date, ...rules(isSame) },
      made: object({ a: date }, 'optional.of(self).?a.value() == self.a'),
    });
    const day = '2024-01-01';
    const value = { nulls: { a: null }, dates: { 'a-b': day }, escaped: { 'a-b': 'x' }, date: day, made: { a: day } };
    expect(broken(schema, value, { ...value, made: {} })).toEqual([
      'nulls: Invalid value: failed rule: self == oldSelf.value()',
      'dates: Invalid value: failed rule: self == oldSelf.value()',
      'made: Invalid value: failed rule: optional.of(self).?a.value() == self.a',
    ]);
  });

  test('what cannot be read is equal to nothing, itself included', () => {
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const item = object({ k: TEXT, d: { type: 'string', format: 'date' } });
    const schema = object({
      l: { type: 'array', items: TEXT, ...rules('self == oldSelf') },
      m: { type: 'array', items: item, ...keyed, ...rules('self == oldSelf') },
      s: object({ b: { type: 'string', format: 'byte' } }, 'self == self'),
    });
    const value = { l: [null], m: [{ k: 'a', d: 'b' }], s: { b: 'ab+/' } };
    const unread = 'Invalid date formatted string b: parsing time "b" as "2006-01-02": cannot parse "b" as "2006"';
    expect(broken(schema, value, value)).toEqual([
      'l: Invalid value: "array": invalid data, got null for schema with nullable=false evaluating rule: self == oldSelf',
      `m: Invalid value: "array": ${unread} evaluating rule: self == oldSelf`,
      's: Invalid value: "object": Invalid byte formatted string ab+/: illegal base64 data at input byte 2 evaluating rule: self == self',
    ]);
  });

  test('texts of a format are read as Go reads them', () => {
    const schema = object(
      {
        by: { type: 'string', format: 'byte' },
        du: { type: 'string', format: 'duration' },
        dt: { type: 'string', format: 'date-time' },
      },
      "self.by == b'\\xfb\\xff'",
      "self.du == duration('26h')",
      "self.dt > timestamp('2020-01-01T00:00:00Z')",
    );
    const why = 'parsing time "2024-01-01t00:00:00z" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T"';
    expect(broken(schema, { by: '-_8=', du: '1 day and 2 hours', dt: '2024-01-01t00:00:00z' })).toEqual([
      `<nil>: Invalid value: "object": Invalid date-time formatted string 2024-01-01t00:00:00z: ${why} evaluating rule: self.dt > timestamp('2020-01-01T00:00:00Z')`,
    ]);
  });

  test('parts of it are found only among what they can be compared with', () => {
    const schema = object(
      { l: { type: 'array', items: object({ k: TEXT }) }, m: { type: 'object', additionalProperties: INT } },
      'dyn(1) in self.l',
      'dyn(1) in self.m',
      "dyn(self.l + self.l) == dyn('a')",
    );
    const complaint =
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule";
    expect(broken(schema, { l: [{ k: 'a' }], m: { a: 1 } })).toEqual([
      `<nil>: Invalid value: "object": ${complaint}: dyn(1) in self.l`,
      `<nil>: Invalid value: "object": ${complaint}: dyn(1) in self.m`,
      `<nil>: Invalid value: "object": ${complaint}: dyn(self.l + self.l) == dyn('a')`,
    ]);
  });

  test('parts of it that are there are not null, nor among the items of a list that a rule makes', () => {
    const schema = object(
      { o: object({}), l: { type: 'array', items: INT }, m: { type: 'object', additionalProperties: INT } },
      'self.o == null',
      'dyn(self.l) == null',
      'null != dyn(self.m)',
      'dyn(self.m) != null',
      'self.o in [dyn(1)]',
    );
    expect(broken(schema, { o: {}, l: [1], m: { a: 1 } })).toEqual([
      '<nil>: Invalid value: failed rule: self.o == null',
      '<nil>: Invalid value: failed rule: dyn(self.l) == null',
      '<nil>: Invalid value: failed rule: self.o in [dyn(1)]',
    ]);
  });

  test('what is preserved without a type can be compared', () => {
    const schema = object({ a: { 'x-kubernetes-preserve-unknown-fields': true } }, 'self == oldSelf');
    expect(broken(schema, { a: [1] }, { a: [1] })).toEqual([]);
    expect(broken(schema, { a: [1] }, { a: [2] })).toEqual(['<nil>: Invalid value: failed rule: self == oldSelf']);
  });

  test('what has not changed is only warned of', () => {
    const schema = object({
      a: { ...TEXT, ...rules("self != 'old'") },
      o: object({ x: TEXT, y: TEXT }, "self.x != 'old'"),
    });
    const before = { a: 'old', o: { x: 'old', y: '1' } };
    const { errors, warnings } = verdict(schema, { a: 'old', o: { x: 'old', y: '2' } }, before);
    expect(errors).toEqual([`o: Invalid value: failed rule: self.x != 'old'`]);
    expect(warnings).toEqual([`a: Invalid value: "old": failed rule: self != 'old'`]);
  });

  test('keyed lists have not changed when their items stand in another order', () => {
    const keyed = {
      type: 'array',
      items: object({ k: TEXT }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const schema = object({ spec: object({ l: keyed, a: TEXT }, "self.a == 'good'") });
    const before = { spec: { l: [{ k: 'x' }, { k: 'y' }], a: 'bad' } };
    const after = { spec: { l: [{ k: 'y' }, { k: 'x' }], a: 'bad' } };
    expect(verdict(schema, after, before)).toEqual({
      errors: [],
      warnings: ["spec: Invalid value: failed rule: self.a == 'good'"],
    });
  });

  test('an object with a field its schema does not declare always counts as changed', () => {
    const open = { ...object({ a: TEXT }, "self.a == 'good'"), 'x-kubernetes-preserve-unknown-fields': true };
    const same = { spec: { a: 'bad', more: 1 } };
    expect(broken(object({ spec: open }), same, same)).toEqual(["spec: Invalid value: failed rule: self.a == 'good'"]);
  });

  test('what a schema describes cannot be compared with what has another shape', () => {
    const map = { type: 'object', additionalProperties: TEXT, maxProperties: 3 };
    expect(broken(object({ m: map }, 'self.m == dyn(1)'), { m: {} })).toEqual([
      `<nil>: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.m == dyn(1)`,
    ]);
  });

  test('whether a set is in a list is for the set to say', () => {
    const set = { type: 'array', items: TEXT, maxItems: 3, 'x-kubernetes-list-type': 'set' };
    expect(broken(object({ s: set }, "self.s in [['a', 'b']]"), { s: ['b', 'a'] })).toEqual([]);
    expect(broken(object({ s: set }, "['a', 'b'] in [self.s]"), { s: ['b', 'a'] })).not.toEqual([]);
  });

  test('rules in allOf apply, and are not forgiven for what stands beside them', () => {
    const schema: JsonObject = { ...object({ a: TEXT }), allOf: [{ properties: { a: rules("self != 'old'") } }] };
    expect(broken(schema, { a: 'old' })).toEqual([`a: Invalid value: "old": failed rule: self != 'old'`]);
    expect(broken(schema, { a: 'old' }, { a: 'old' })).toHaveLength(1);
  });

  test('sets are equal in any order and add up without repeats', () => {
    const set = { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' };
    const schema = object({ a: set, b: set }, "self.a == self.b && self.a + self.b == ['x', 'y']");
    expect(broken(schema, { a: ['x', 'y'], b: ['y', 'x'] })).toEqual([]);
  });

  test('budgets end the matter', () => {
    const row = { type: 'array', items: INT, ...rules('self.all(x, self.all(y, x + y >= 0))') };
    const schema = object({ one: row, rows: { type: 'array', items: row } });
    expect(broken(schema, { one: Array(900).fill(1) })).toEqual([
      `one: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, x + y >= 0))`,
    ]);
    const [last, ...more] = broken(schema, { rows: Array(200).fill(Array(100).fill(1)) });
    expect(last).toContain(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
    expect(more).toEqual([]);
  });

  test('names that mean something to JavaScript are plain data', () => {
    const schema = object(
      { m: { type: 'object', additionalProperties: INT } },
      "!has(self.m.constructor) && !('toString' in self.m) && self.m.__proto__ == 1",
    );
    expect(broken(schema, JSON.parse('{"m": {"__proto__": 1}}'))).toEqual([]);
  });
});

describe('rules that take long', () => {
  const costly = 'lists.range(300).all(x, lists.range(300).all(y, x + y >= 0))';
  const pausesOf = (schema: JsonObject, value: JsonValue): number =>
    countPauses(ruleEvaluatorOf(parseSchema(schema))!.evaluateInSteps(value));

  test('pause between rules', () => {
    const spec = object({ a: INT }, ...Array.from({ length: 8 }, (_, i) => `${costly} && self.a == ${i}`));
    expect(pausesOf(object({ spec }), { spec: { a: 1 } })).toBe(8);
  });

  test('pause between items', () => {
    const list = { type: 'array', items: object({ a: INT }, 'self.a == 1') };
    expect(pausesOf(object({ list }), { list: Array(9_000).fill({ a: 1 }) })).toBeGreaterThan(3);
  });

  test('pause while they are compiled', () => {
    const spec = object({ a: INT }, ...Array.from({ length: 2_000 }, (_, i) => `self.a == ${i} || true || true`));
    expect(pausesOf(object({ spec }), { spec: { a: 1 } })).toBeGreaterThan(5);
  });

  test('do not pause when they are few', () => {
    expect(pausesOf(object({ a: INT, b: INT }, 'self.a <= self.b', 'self.a > 0'), { a: 1, b: 2 })).toBe(0);
  });

  test('list no more errors than anyone reads', () => {
    const list = { type: 'array', items: { ...INT, ...rules('false', 'self < 0') } };
    const found = ruleEvaluatorOf(parseSchema(object({ list })))!.evaluate({ list: Array(20_000).fill(1) });
    expect(found.errors.length).toBe(10_000);
  });

  test('share one budget when they are about defaults', () => {
    const property = { type: 'integer', default: 1, ...rules(`${costly} && self > 0`) };
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, property]));
    const found = refusals(object(properties));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('running out of cost budget, no further validation rules will be run');
  });

  test('pause while a definition is checked', () => {
    const schema = object({ a: INT }, ...Array.from({ length: 50 }, (_, i) => `self.a != ${i}`));
    expect(countPauses(validateRules(schema, FieldPath.of('schema'), []))).toBe(50);
  });
});

function countPauses(steps: Steps<unknown>): number {
  let pauses = 0;
  while (!steps.next().done) pauses++;
  return pauses;
}
