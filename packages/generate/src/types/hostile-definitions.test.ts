import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { Client } from '@pintle/client';
import { afterAll, expect, test } from 'vitest';
import { interfaceModule } from './interface-module.ts';
import { clusterDefinitions, readDefinitions } from './read-definitions.ts';
import { resourceModule } from './resource-module.ts';
import { generateTypes } from './write-types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-hostile-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CODE = 'globalThis.taken = true';

interface Hostile {
  readonly spec?: object;
  readonly names?: object;
  readonly version?: object;
  readonly field?: object;
  readonly metadata?: object;
}

function definitionOf({ spec, names, version, field, metadata }: Hostile) {
  const properties = { spec: { type: 'object', properties: { color: { type: 'string', ...field } } } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const other = { name: 'v1', served: true, storage: true, schema };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'apples', kind: 'Apple', ...names },
      versions: [other, { ...other, name: 'v2', storage: false, ...version }],
      ...spec,
    },
  };
}

const OUTSIDE: readonly [string, Hostile][] = [
  ['a group that is a path', { spec: { group: '../../outside' } }],
  ['a group that is code', { spec: { group: `x */ ${CODE}; /*` } }],
  ['a group that is no text', { spec: { group: ['..', '..'] } }],
  ['a version that is code', { version: { name: `v2 = 1;\n${CODE};\n//` } }],
  ['a plural that is code', { names: { plural: `apples */ ${CODE}; /*` } }],
  ['a kind of lists that is code', { names: { listKind: `A */ ${CODE}; /*` } }],
  ['a short name that is code', { names: { shortNames: [`*/ ${CODE}; /*`] } }],
  ['a scope that is code', { spec: { scope: `*/ ${CODE}; /*` } }],
  ['a pattern that is a list', { field: { pattern: [`/); ${CODE}; (/`] } }],
  ['a bound that is a text', { field: { minLength: `1); ${CODE}; (` } }],
];

test.each(OUTSIDE)('%s is refused, in a file and of a server', async (_what, hostile) => {
  const definition = definitionOf(hostile);
  const path = join(folder, 'one.json');
  writeFileSync(path, JSON.stringify(definition));
  expect(() => readDefinitions(path)).toThrow(/Cannot read/);
  const body = Buffer.from(JSON.stringify({ metadata: {}, items: [definition] }));
  const client = new Client({ transport: { send: async () => ({ status: 200, headers: {}, body }) } });
  await expect(clusterDefinitions(client)).rejects.toThrow(/Cannot read/);
});

const INSIDE: readonly [string, Hostile][] = [
  ['a warning', { version: { deprecated: true, deprecationWarning: `*/ ${CODE}; /*` } }],
  ['a warning of two lines', { version: { deprecated: true, deprecationWarning: `old\n${CODE}` } }],
  ['a selectable field', { version: { selectableFields: [{ jsonPath: `.spec.x */ ${CODE}; /*` }] } }],
  ['a path of a column', { version: { additionalPrinterColumns: columnsThatQuote(".x$'", CODE) } }],
  [
    'a path of a column that repeats what is before it',
    { version: { additionalPrinterColumns: columnsThatQuote('.x$`', CODE) } },
  ],
  ['a label', { metadata: { labels: { [`x */ ${CODE}; /*`]: 'y' } } }],
  ['a type of lists', { field: { 'x-kubernetes-list-type': `*/ ${CODE}; /*` } }],
  ['a key of lists', { field: { 'x-kubernetes-list-map-keys': [`*/ ${CODE}; /*`] } }],
  ['a description', { field: { description: `*/ ${CODE}; /* \`\${${CODE}}\` ' "` } }],
  ['a pattern', { field: { pattern: `a/; ${CODE}; /` } }],
  ['a default', { field: { default: `'; ${CODE}; '` } }],
];

/** Columns of which one ends the quotes of the other, where its path stands for the text around it. */
function columnsThatQuote(path: string, code: string): object[] {
  const column = { name: `"+(${code})+"`, type: 'string', jsonPath: '.metadata.name' };
  const other = { name: 'a', type: 'string', jsonPath: path };
  return [column, other, column];
}

test.each(INSIDE)('%s that is code stays text', (_what, hostile) => {
  const path = join(folder, 'one.json');
  writeFileSync(path, JSON.stringify(definitionOf(hostile)));
  const [definition] = readDefinitions(path);
  for (const text of [resourceModule(definition!), interfaceModule(definition!)]) {
    const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'] });
    const kinds = new Set(program.body.map(({ type }) => type));
    expect([...kinds].filter((kind) => kind !== 'ImportDeclaration' && kind !== 'ExportNamedDeclaration')).toEqual([]);
    // As part of a text it is no name.
    expect(JSON.stringify(program.body)).not.toContain('"name":"taken"');
  }
});

test('nothing is written outside the folder', () => {
  const path = join(folder, 'one.json');
  const target = mkdtempSync(join(folder, 'project-'));
  writeFileSync(path, JSON.stringify(definitionOf({ spec: { group: '../../outside' } })));
  expect(() => generateTypes(target, readDefinitions(path), { out: 'src' })).toThrow(/cannot be a group/);
  expect(readdirSync(folder)).not.toContain('outside');
});
