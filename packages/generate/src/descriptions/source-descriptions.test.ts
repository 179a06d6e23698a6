import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SchemaDescriptions } from '@pintle/operator';
import { afterAll, describe, expect, test } from 'vitest';
import { resourcesInSources } from './source-descriptions.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-comments-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const HEAD = `import { atomic, conditions, defineResource, listMap, rule } from '@pintle/operator';
import { z } from 'zod';
`;
let count = 0;

function found(files: Readonly<Record<string, string>>) {
  const directory = join(parent, `project-${count++}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return resourcesInSources(directory, ['src/operator.ts']).descriptions;
}

/** Descriptions by path: `[]` is an item, `{}` a value. */
function pathsOf(schema: SchemaDescriptions, path = ''): Record<string, string> {
  const { description, properties = {}, items, additionalProperties } = schema;
  return {
    ...(description !== undefined && { [path]: description }),
    ...Object.assign({}, ...Object.entries(properties).map(([name, each]) => pathsOf(each, `${path}.${name}`))),
    ...(items !== undefined && pathsOf(items as SchemaDescriptions, `${path}[]`)),
    ...(additionalProperties !== undefined && pathsOf(additionalProperties as SchemaDescriptions, `${path}{}`)),
  };
}

/** Returns the descriptions of a resource with this spec, in a module that begins with that text. */
function ofSpec(spec: string, before = '', files: Readonly<Record<string, string>> = {}): Record<string, string> {
  const code = `${HEAD}${before}
const Crate = defineResource({ group: 'goods.test', version: 'v1', kind: 'Crate', spec: ${spec} });`;
  const [crate] = found({ 'src/operator.ts': code, ...files });
  return crate === undefined ? {} : pathsOf(crate.versions.v1?.properties?.spec ?? {});
}

const PART = '{ /** Its name. */ name: z.string() }';

describe('A comment', () => {
  test.each<[string, string, Record<string, string>]>([
    ['of a field', 'z.object({ /** How many. */ size: z.int() })', { '.size': 'How many.' }],
    ['of a quoted field', 'z.object({ /** How many. */ "a-b": z.int() })', { '.a-b': 'How many.' }],
    ['of the prototype of nothing', 'z.object({ /** Odd. */ ["__proto__"]: z.int() })', { '.__proto__': 'Odd.' }],
    ['of a strict object', 'z.strictObject({ /** How many. */ size: z.int() })', { '.size': 'How many.' }],
    [
      'of a field of a field',
      `z.object({ /** The lid. */ lid: z.object(${PART}).optional() })`,
      { '.lid': 'The lid.', '.lid.name': 'Its name.' },
    ],
    ['of an item', `z.object({ parts: z.array(z.object(${PART})).max(3) })`, { '.parts[].name': 'Its name.' }],
    ['of an item, said last', `z.object({ parts: z.object(${PART}).array() })`, { '.parts[].name': 'Its name.' }],
    ['of a value', `z.object({ parts: z.record(z.string(), z.object(${PART})) })`, { '.parts{}.name': 'Its name.' }],
    ['behind functions of zod', `z.optional(z.nullable(z.object(${PART})))`, { '.name': 'Its name.' }],
    ['behind methods', `z.object(${PART}).partial().default({}).meta({ id: 'Crate' })`, { '.name': 'Its name.' }],
    ['behind helpers', `rule(z.object(${PART}), { rule: 'true' })`, { '.name': 'Its name.' }],
    [
      'behind helpers for lists',
      `z.object({ parts: listMap(z.array(z.object(${PART})), ['name']) })`,
      { '.parts[].name': 'Its name.' },
    ],
    ['of a lazy schema', `z.lazy(() => z.object(${PART}))`, { '.name': 'Its name.' }],
    [
      'of a getter',
      `z.object({ /** A part. */ get part() { return z.object(${PART}); } })`,
      {
        '.part': 'A part.',
        '.part.name': 'Its name.',
      },
    ],
    [
      'of members of a union',
      `z.union([z.object(${PART}), z.object({ /** Its size. */ size: z.int() })])`,
      { '.name': 'Its name.', '.size': 'Its size.' },
    ],
    [
      'of members of a tagged union',
      `z.discriminatedUnion('type', [z.object({ /** Which. */ type: z.literal('a') }), z.object({ type: z.literal('b') })])`,
      { '.type': 'Which.' },
    ],
    [
      'of both sides',
      `z.object(${PART}).and(z.object({ /** Its size. */ size: z.int() }))`,
      {
        '.name': 'Its name.',
        '.size': 'Its size.',
      },
    ],
    [
      'of an extension',
      `z.object(${PART}).extend({ /** Its size. */ size: z.int() })`,
      {
        '.name': 'Its name.',
        '.size': 'Its size.',
      },
    ],
    ['goes with its field', `z.object(${PART}).extend({ name: z.int() })`, {}],
    ['that is asserted', `z.object(${PART}) as z.ZodType<{ name: string }>`, { '.name': 'Its name.' }],
    ['of code is not read', 'z.object({ /* How many. */ size: z.int(), // Later.\n a: z.int() })', {}],
    [
      'at the end of a line is not that of the next',
      'z.object({\n size: z.int(), /** How many. */\n a: z.int(),\n /** Odd. */ b: z.int() })',
      { '.b': 'Odd.' },
    ],
    [
      'is read to its first tag, line by line',
      'z.object({\n /**\n  * How many.\n  * At least one.\n  * @deprecated Use weight.\n  */\n size: z.int() })',
      { '.size': 'How many.\nAt least one.' },
    ],
  ])('%s', (_what, spec, expected) => expect(ofSpec(spec)).toEqual(expected));
});

describe('A schema is found', () => {
  const PARTS = {
    'src/parts.ts': `import { z } from 'zod';
/** A part of a crate. */
export const part = z.object(${PART});
export const shape = ${PART};
export default part;
`,
    'src/all.ts': "export * from './parts.ts'; export { part as other } from './parts.ts'; export * from './all.ts';",
  };

  test.each<[string, string, string, Record<string, string>]>([
    ['in a constant', 'part', `const part = z.object(${PART});`, { '.name': 'Its name.' }],
    ['in a member', 'schemas.part', `const schemas = { part: z.object(${PART}) };`, { '.name': 'Its name.' }],
    ['in a member with a comment', 'a.b', 'const a = { /** A crate. */ b: z.object({}) };', { '': 'A crate.' }],
    ['in a part', 'part', `const { part } = { part: z.object(${PART}) };`, { '.name': 'Its name.' }],
    ['in a function', 'part(3)', `const part = (max) => z.object(${PART});`, { '.name': 'Its name.' }],
    ['in a longer function', 'part()', `function part() { return z.object(${PART}); }`, { '.name': 'Its name.' }],
    ['in an argument', `strict(z.object(${PART}))`, 'const strict = (schema) => schema;', { '.name': 'Its name.' }],
    ['in shapes', 'z.object({ ...part.shape })', `const part = z.object(${PART});`, { '.name': 'Its name.' }],
    [
      'in a field of another',
      'z.object({ a: part.shape.name })',
      `const part = z.object(${PART});`,
      {
        '.a': 'Its name.',
      },
    ],
    ['in items of another', 'parts.element', `const parts = z.array(z.object(${PART}));`, { '.name': 'Its name.' }],
    ['by shorthand', 'z.object({ name })', '/** Any name. */ const name = z.string();', { '.name': 'Any name.' }],
    [
      'that contains itself',
      'tree',
      `const tree = z.object({ /** Below. */ kids: z.array(z.lazy(() => tree)) });`,
      {
        '.kids': 'Below.',
      },
    ],
    [
      'in another module',
      'z.object({ /** Mine. */ part, others: z.array(part) })',
      "import { part } from './parts.ts';",
      {
        '.part': 'Mine.',
        '.part.name': 'Its name.',
        '.others[]': 'A part of a crate.',
        '.others[].name': 'Its name.',
      },
    ],
    [
      'in a module that is compiled',
      'z.object(shape)',
      "import { shape } from './parts.js';",
      { '.name': 'Its name.' },
    ],
    ['in a namespace', 'z.object(parts.shape)', "import * as parts from './parts.ts';", { '.name': 'Its name.' }],
    [
      'in a default',
      'z.object({ a: part })',
      "import part from './parts.ts';",
      {
        '.a': 'A part of a crate.',
        '.a.name': 'Its name.',
      },
    ],
    [
      'behind modules',
      'z.object({ a: other }).extend(shape)',
      "import { other, shape } from './all.ts';",
      {
        '.a': 'A part of a crate.',
        '.a.name': 'Its name.',
        '.name': 'Its name.',
      },
    ],
  ])('%s', (_what, spec, before, expected) => expect(ofSpec(spec, before, PARTS)).toEqual(expected));

  test.each([
    ['of another package', 'part', "import { part } from 'parts';"],
    ['of a module that is not there', 'part', "import { part } from './absent.ts';"],
    ['of a name that nothing has', 'part', "import { absent as part } from './all.ts';"],
    ['that only shows at run time', 'choose()[0]', 'const choose = () => [z.object({})];'],
    ['that is made of itself', 'z.object(a)', 'const a = { ...a, ...b }; const b = { ...a };'],
  ])('no more when it is %s', (_what, spec, before) => expect(ofSpec(spec, before, PARTS)).toEqual({}));
});

describe('Resources', () => {
  test('have versions, a spec, a status and a comment of their own', () => {
    const code = `${HEAD}
const GROUP = 'goods.test';
const status = z.object({ /** What was seen. */ seen: z.string(), conditions: conditions() });
const old = { spec: z.object({ /** As text. */ size: z.string() }), status };
/** Holds goods. */
export const Crate = defineResource({
  group: \`sub.\${GROUP}\`,
  kind: 'Crate',
  storage: 'v1',
  versions: {
    v1alpha1: old,
    v1: { /** What is wanted. */ spec: z.object({ /** As number. */ size: z.int() }), status },
  },
});`;
    const [crate, ...others] = found({ 'src/operator.ts': code });
    expect(others).toEqual([]);
    expect(crate).toMatchObject({ group: 'sub.goods.test', kind: 'Crate' });
    expect(Object.entries(crate!.versions).map(([name, each]) => [name, pathsOf(each)])).toEqual([
      ['v1alpha1', { '': 'Holds goods.', '.spec.size': 'As text.', '.status.seen': 'What was seen.' }],
      [
        'v1',
        {
          '': 'Holds goods.',
          '.spec': 'What is wanted.',
          '.spec.size': 'As number.',
          '.status.seen': 'What was seen.',
        },
      ],
    ]);
  });

  test('are found without a group or version that the sources tell', () => {
    const code = `import * as operator from '@pintle/operator';
import { z } from 'zod';
const common = { group: process.env.GROUP, kind: 'Crate', version: String(1) };
const Crate = operator.defineResource({ ...common, spec: z.object({ /** How many. */ size: z.int() }) });`;
    expect(found({ 'src/operator.ts': code })).toEqual([
      {
        kind: 'Crate',
        versions: { '*': { properties: { spec: { properties: { size: { description: 'How many.' } } } } } },
      },
    ]);
  });

  test.each([
    ['nothing is said of', "defineResource({ group: 'g', version: 'v1', kind: 'A', spec: z.object({ a: z.int() }) })"],
    [
      'have no kind that the sources tell',
      'defineResource({ kind: String(1), spec: z.object({ /** A. */ a: z.int() }) })',
    ],
    ['are defined by nothing', 'defineResource()'],
    ['are no resources', "define({ kind: 'A', spec: z.object({ /** A. */ a: z.int() }) })"],
  ])('that %s are left out', (_what, code) => {
    expect(
      found({ 'src/operator.ts': `${HEAD}const define = (options) => options;\nexport const A = ${code};` }),
    ).toEqual([]);
  });
});
