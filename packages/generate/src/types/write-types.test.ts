import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readDefinitions } from './read-definitions.ts';
import { resourceModule } from './resource-module.ts';
import { generateTypes, resourceFrom } from './write-types.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-types-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'crds'));

const crd = (kind: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.g.test, uid: abc }
spec:
  group: g.test
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, required: [a], properties: { a: { type: string } } } } } }
`;
writeFileSync(join(folder, 'crds', 'two.yaml'), `${crd('Pear')}---\nkind: ConfigMap\n---${crd('Apple')}`);

test('definitions are read from files, folders and URLs, by name', () => {
  const names = ['apples.g.test', 'pears.g.test'];
  const path = join(folder, 'crds', 'two.yaml');
  for (const from of [path, join(folder, 'crds'), pathToFileURL(path).href])
    expect(readDefinitions(from).map(({ metadata }) => metadata)).toEqual(names.map((name) => ({ name })));
});

test('types are written once, and checked', () => {
  const definitions = readDefinitions(join(folder, 'crds'));
  const paths = ['src/g.test/apple.ts', 'src/g.test/pear.ts'];
  expect(() => generateTypes(folder, definitions, { out: 'src', check: true })).toThrow(paths.join(', '));
  const written = generateTypes(folder, definitions, { out: 'src' });
  expect(written.map(({ path, type }) => [path, type])).toEqual(paths.map((path) => [path, 'create']));
  expect(generateTypes(folder, definitions, { out: 'src/', check: true }).every(({ type }) => type === 'same')).toBe(
    true,
  );
});

test('an absolute folder is where the files go', () => {
  const out = join(folder, 'elsewhere');
  const definitions = readDefinitions(join(folder, 'crds'));
  generateTypes(join(folder, 'crds'), definitions, { out });
  expect(readdirSync(join(out, 'g.test')).sort()).toEqual(['apple.ts', 'pear.ts']);
  expect(readdirSync(join(folder, 'crds'))).toEqual(['two.yaml']);
});

test('a resource is taken out of a file by its kind', () => {
  const path = join(folder, 'crds', 'two.yaml');
  expect(() => resourceFrom(path)).toThrow('expected one CRD, found Apple, Pear');
  expect(resourceFrom(path, 'Pear')).toMatchObject({
    group: 'g.test',
    version: 'v1',
    kind: 'Pear',
    scope: 'Namespaced',
  });
});

test('what is not there is said', () => {
  expect(() => readDefinitions(join(folder, 'none.yaml'))).toThrow(/Cannot read .*none\.yaml/);
});

test('what the compiler could not follow is said: columns that lead nowhere, versions that nobody converts', () => {
  const [definition] = readDefinitions(join(folder, 'crds')).map((each) => structuredClone(each));
  const { versions } = definition!.spec;
  versions[0]!.additionalPrinterColumns = [
    { name: 'A', type: 'string', jsonPath: '.spec.a' },
    { name: 'B', type: 'string', jsonPath: '.data.b' },
  ];
  expect(resourceModule(definition!)).not.toContain('conversion:');
  const spec = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  versions.push({ name: 'v2', served: true, storage: false, schema });
  const text = resourceModule(definition!);
  expect(text).toContain("jsonPath: '.spec.a' }");
  expect(text).toContain("jsonPath: '.data.b' as string }");
  expect(text).toContain("conversion: { strategy: 'None' }");
  expect(text).toContain(`
    v2: {
      spec: z.object({
        a: z.string(),
      }).optional(),
    },
`);
});
