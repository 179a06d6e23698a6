import { expect, test } from 'vitest';
import { parseYaml, pathOfField, rangeOf, readValueOf, withField } from './edited-yaml.ts';

const TEXT = '# why\nspec: {}\nbig: 12345678901234567890 # exact\n';

test('a field is set without loss of comments, order and large integers', () => {
  const next = withField(TEXT, ['spec', 'ports', 0, 'port'], 80n);
  expect(next).toBe('# why\nspec:\n  ports:\n    - port: 80\nbig: 12345678901234567890 # exact\n');
  expect(withField(next, ['spec', 'ports', 0], undefined)).toContain('ports: []');
});

test('a field below an empty value, or of an empty text, gets its parents', () => {
  expect(withField('spec:\n', ['spec', 'a'], 'b')).toBe('spec:\n  a: b\n');
  expect(withField('', ['spec', 'a'], 'b')).toBe('spec:\n  a: b\n');
});

test('a text that is not YAML stays as it is', () => {
  expect(withField('a: [', ['a'], 'b')).toBe('a: [');
});

test('aliases are not followed', () => {
  expect(() => readValueOf(parseYaml('a: &x [1]\nb: [*x, *x]\n'))).toThrow();
});

test('paths of causes are read as the server writes them', () => {
  expect(pathOfField('spec.ports[0].name')).toEqual(['spec', 'ports', 0, 'name']);
  expect(pathOfField('metadata.labels[a.b/c]')).toEqual(['metadata', 'labels', 'a.b/c']);
  expect(pathOfField('data["x.y"]')).toEqual(['data', 'x.y']);
});

test('a problem stands at its field, or at the nearest one around it', () => {
  const source = 'spec:\n  host: x\n';
  const at = (path: (string | number)[]) => source.slice(...rangeOf(path, parseYaml(source), source));
  expect(at(['spec', 'host'])).toBe('x');
  expect(at(['spec', 'missing'])).toBe('spec');
});
