import { threadTimer } from '@pintle/async/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../json/index.ts';
import { deepCopy, parseJson } from '../json/index.ts';
import { applyJsonPatch, applyJsonPatchInSteps, PatchError, readJsonPatch, unknownMembers } from './index.ts';

const apply = (document: JsonValue, patch: JsonValue): JsonValue => applyJsonPatch(document, readJsonPatch(patch));
const refuse = (code: PatchError['failure']['code']) =>
  expect.objectContaining({ failure: expect.objectContaining({ code }) });

const check = (document: JsonValue, patch: JsonValue, expected: JsonValue | PatchError['failure']['code']): void => {
  if (typeof expected === 'string' && /^[A-Z]/.test(expected)) {
    expect(() => apply(document, patch)).toThrowError(refuse(expected as PatchError['failure']['code']));
  } else expect(apply(document, patch)).toEqual(expected);
};

describe('operations', () => {
  test('add to objects and lists', () => {
    check({ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 });
    check({ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] });
    check({ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] });
    check({ a: [1] }, [{ op: 'add', path: '/a/2', value: 2 }], 'NotApplicable');
    check({ a: [1] }, [{ op: 'add', path: '/a/01', value: 2 }], { a: [1, 2] });
    check({ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] });
    check({ a: [1, 2] }, [{ op: 'add', path: '/a/-3', value: 0 }], { a: [0, 1, 2] });
    check({ a: [1] }, [{ op: 'add', path: '/a/-9', value: 2 }], 'NotApplicable');
    check({}, [{ op: 'add', path: '/a/b', value: 2 }], 'NotApplicable');
    check({ a: 'text' }, [{ op: 'add', path: '/a/b', value: 2 }], 'NotApplicable');
    check({ a: null }, [{ op: 'add', path: '/a/b', value: 2 }], 'NotApplicable');
    check({}, [{ op: 'add', path: '/a' }], { a: null });
  });

  test('replace and remove', () => {
    check({ a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null });
    check({ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 });
    check({ a: [] }, [{ op: 'replace', path: '/a/0', value: 2 }], 'NotApplicable');
    check({ a: [1] }, [{ op: 'replace', path: '/a/-', value: 2 }], 'NotApplicable');
    check({ a: [1, 2] }, [{ op: 'replace', path: '/a/+1', value: 3 }], { a: [1, 3] });
    check({ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] });
    check({ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] });
    check({ a: 1 }, [{ op: 'remove', path: '/b' }], 'NotApplicable');
  });

  test('move and copy', () => {
    check({ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 });
    check({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }], 'NotApplicable');
    check({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a' }], { a: { b: 1 } });
    check({ a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] });
    check({}, [{ op: 'move', from: '/a', path: '/b' }], 'NotApplicable');
    check({ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } });
    check({}, [{ op: 'copy', from: '/a', path: '/b' }], { b: null });
    check({ a: 1 }, [{ op: 'copy', path: '/b' }], 'NotApplicable');
  });

  test('a copy goes its own way', () => {
    const patch = [
      { op: 'replace', path: '/a/x', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/b/x', value: 3 },
    ];
    check({ a: { x: 1 } }, patch, { a: { x: 2 }, b: { x: 3 } });
  });

  test('test finds what is absent to be null', () => {
    const passes = (document: JsonValue, operation: object): void =>
      check(document, [{ op: 'test', ...operation }], document);
    const fails = (document: JsonValue, operation: object, code: 'TestFailed' | 'NotApplicable' = 'TestFailed'): void =>
      check(document, [{ op: 'test', ...operation }], code);
    passes({ 'a/b': { '~': 1 } }, { path: '/a~1b/~0', value: 1 });
    passes({ a: { x: 1, y: [1, { z: 2 }] } }, { path: '/a', value: { y: [1, { z: 2 }], x: 1 } });
    passes({}, { path: '/a', value: null });
    passes({}, { path: '/a' });
    passes({ a: 1 }, { path: '', value: { a: 1 } });
    passes({ a: 9_007_199_254_740_993n }, { path: '/a', value: 9_007_199_254_740_993n });
    passes({ a: 1n }, { path: '/a', value: 1 });
    fails({ a: 1 }, { path: '/a', value: 2 });
    fails({ a: 1 }, { path: '/a', value: '1' });
    fails({ a: 1 }, { path: '/a' });
    fails({ a: 1 }, { path: '/a', value: null });
    fails({ a: { x: 1, y: 2 } }, { path: '/a', value: { x: 1 } });
    fails({ a: [1] }, { path: '/a', value: [1, 2] });
    fails({}, { path: '/a/b', value: null }, 'NotApplicable');
    fails({ a: [] }, { path: '/a/0', value: null }, 'NotApplicable');
  });

  test('test counts what earlier operations added and took', () => {
    const unchanged = { op: 'test', path: '/a', value: { x: 1 } };
    const patch = [
      unchanged,
      { op: 'add', path: '/a/y', value: 2 },
      { op: 'test', path: '/a', value: { x: 1, y: 2 } },
      { op: 'replace', path: '/a/z', value: 3 },
      { op: 'remove', path: '/a/y' },
      { op: 'remove', path: '/a/z' },
      unchanged,
    ];
    check({ a: { x: 1 } }, patch, { a: { x: 1 } });
  });

  test('only replace and test know the whole document', () => {
    check({ a: 1 }, [{ op: 'replace', path: '', value: [] }], []);
    check({ a: 1 }, [{ op: 'replace', path: '', value: 'text' }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'replace', path: '', value: null }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'add', path: '', value: {} }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'remove', path: '' }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'copy', from: '', path: '/b' }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'move', from: '/a', path: '' }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'add', path: '/', value: 2 }], { a: 1, '': 2 });
  });

  test('what stands before the first slash of a path means nothing', () => {
    check({ key: 1 }, [{ op: 'replace', path: 'data/key', value: 2 }], { key: 2 });
    check({ data: 1 }, [{ op: 'replace', path: 'data', value: 2 }], 'NotApplicable');
  });

  test('that make no sense apply nowhere', () => {
    for (const operation of [{}, null, { op: 'merge', path: '/a' }, { op: 'add', value: 1 }, { op: 1, path: '/a' }]) {
      check({ a: 1 }, [operation], 'NotApplicable');
    }
  });
});

describe('reading', () => {
  const malformed = (read: (value: JsonValue) => unknown, value: JsonValue, message: string): void =>
    expect(() => read(value)).toThrowError(
      expect.objectContaining({ message, failure: expect.objectContaining({ code: 'Malformed' }) }),
    );

  test('refuses what is no list of objects', () => {
    expect(readJsonPatch(null)).toEqual([]);
    malformed(readJsonPatch, {}, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch');
    malformed(readJsonPatch, ['add'], 'json: cannot unmarshal string into Go value of type jsonpatch.Operation');
  });

  test('refuses members of the wrong type when it is strict, and tells those it does not know', () => {
    expect(unknownMembers([{ op: 'add', path: null, value: [] }, null, { note: 1 }])).toEqual(['[2].note']);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`note-${i}`, i]));
    expect(unknownMembers([many])).toHaveLength(100);
    malformed(unknownMembers, {}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp');
    malformed(unknownMembers, [true], 'json: cannot unmarshal bool into Go value of type handlers.jsonPatchOp');
    malformed(
      unknownMembers,
      [{ op: 'add', path: 5 }],
      'json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    );
  });
});

describe('bounds', () => {
  const repeated = (count: number, operation: (i: number) => object): JsonValue =>
    Array.from({ length: count }, (_, i) => operation(i)) as JsonValue;
  /** What a patch may hold the process for, in processor time: others may be at work on this machine. */
  const quickly = (run: () => void): void => {
    const started = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(1_500);
  };

  test('operations and copies', () => {
    check(
      {},
      repeated(10_001, () => ({ op: 'test', path: '', value: {} })),
      'TooManyOperations',
    );
    const document = { a: { text: 'x'.repeat(1000) } };
    const doubling = repeated(40, (i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
    quickly(() => check(document, doubling, 'TooLarge'));
  });

  test('depth, however a patch goes about it', () => {
    const deep = (depth: number): JsonValue => JSON.parse(`${'[{"":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`);
    check({}, [{ op: 'add', path: '/a', value: deep(900) }], { a: deep(900) });
    const below = '/0/'.repeat(400);
    const stacked = [
      { op: 'add', path: '/a', value: deep(900) },
      { op: 'add', path: `/a${below}`, value: deep(900) },
    ];
    check({}, stacked, 'TooDeep');
    const copied = [stacked[0]!, ...(repeated(4, () => ({ op: 'copy', from: '/a', path: `/a${below}` })) as object[])];
    check({}, copied as JsonValue, 'TooDeep');
  });

  test('no stall over a pointer of escapes', () => {
    let fastest = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 5; run++) {
      const computedMs = threadTimer();
      const [operation] = readJsonPatch([{ op: 'add', path: `/${'~0~1'.repeat(700_000)}`, value: 1 }]);
      fastest = Math.min(fastest, computedMs());
      expect(operation!.path?.[0]).toHaveLength(1_400_000);
    }
    expect(fastest).toBeLessThan(1_000);
    expect(readJsonPatch([{ op: 'add', path: '/~01~10~~1~' }])[0]!.path).toEqual(['~1/0~/~']);
  });

  test('no stall over large documents', () => {
    const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key-${i}`, i]));
    const items = Array.from({ length: 120_000 }, (_, i) => i);
    const hostile: [JsonValue, (i: number) => object][] = [
      [members, (i) => ({ op: 'add', path: `/a/new-${i}`, value: i })],
      [members, () => ({ op: 'test', path: '/a', value: null })],
      [members, (i) => (i % 2 === 0 ? { op: 'add', path: '/a/x', value: i } : { op: 'remove', path: '/a/x' })],
      [members, (i) => ({ op: 'move', from: i % 2 ? '/b' : '/a', path: i % 2 ? '/a' : '/b' })],
      [items, () => ({ op: 'add', path: '/a/0', value: 0 })],
      [items, () => ({ op: 'remove', path: '/a/0' })],
      [items, () => ({ op: 'move', from: '/a/0', path: '/a/-' })],
    ];
    for (const [value, operation] of hostile) {
      const patch = readJsonPatch(repeated(10_000, operation));
      quickly(() => {
        try {
          applyJsonPatch({ a: value }, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
      });
    }
    const tests = readJsonPatch(
      repeated(10_000, (i) =>
        i % 2 ? { op: 'test', path: '/a/key-1', value: 1 } : { op: 'add', path: '/a/key-1', value: 1 },
      ),
    );
    quickly(() => applyJsonPatch({ a: members }, tests));
    const counted = readJsonPatch(repeated(10_000, () => ({ op: 'test', path: '/b', value: {} })));
    quickly(() => applyJsonPatch({ a: members, b: {} }, counted));
  });
});

test('__proto__ is a name like any other', () => {
  const result = apply({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
  expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  check({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: true }], 'NotApplicable');
  check({}, [{ op: 'add', path: '/__proto__/polluted', value: true }], 'NotApplicable');
  const owned = parseJson('{"__proto__":{"a":1}}');
  check(
    owned,
    [{ op: 'add', path: '/__proto__/polluted', value: true }],
    parseJson('{"__proto__":{"a":1,"polluted":true}}'),
  );
});

test('any patch gives a value or a PatchError, changes neither document nor itself, and never pollutes', () => {
  const segment = fc.constantFrom('a', 'b', '0', '1', '-', '__proto__', 'constructor', 'prototype', '');
  const path = fc.array(segment, { maxLength: 4 }).map((parts) => parts.map((part) => `/${part}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path,
    from: path,
    value: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(operation, { maxLength: 8 }), (document, patch) => {
      const given = deepCopy({ document, patch }) as JsonValue;
      try {
        apply(document as JsonValue, patch);
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
      expect({ document, patch }).toEqual(given);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('what was added is what test finds, and what was removed is not', () => {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>(null, true, 0, 'a'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (first, second) => {
      const added = apply({ a: second }, [
        { op: 'add', path: '/b', value: first },
        { op: 'test', path: '/b', value: first },
      ]);
      expect(added).toEqual({ a: second, b: first });
      const isSame = JSON.stringify(apply({ a: first }, [])) === JSON.stringify({ a: second });
      if (isSame) check({ a: first }, [{ op: 'test', path: '/a', value: second }], { a: first });
      check(
        { a: first, b: 1 },
        [
          { op: 'remove', path: '/a' },
          { op: 'test', path: '/a' },
        ],
        { b: 1 },
      );
    }),
    { numRuns: 300 },
  );
});

test('others may go first between operations, and before what is to be copied', () => {
  const patch = readJsonPatch([
    { op: 'add', path: '/b', value: 1 },
    { op: 'copy', from: '/a', path: '/c' },
  ]);
  const steps = applyJsonPatchInSteps({ a: { x: 1 } }, patch);
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next(), pauses++) {
    if (!step.done) continue;
    expect(step.value).toEqual({ a: { x: 1 }, b: 1, c: { x: 1 } });
    break;
  }
  expect(pauses).toBe(3);
});
