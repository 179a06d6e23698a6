import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const packagesDir = join(import.meta.dirname, '..', 'packages');

/** What serving objects takes, loaded when the first request for one comes; see docs/decisions/0009-startup.md. */
const LATER = [
  'kinds/src/rules/index.ts',
  'kinds/src/rules/workloads/',
  'kinds/src/schemas/',
  'kinds/src/descriptions/',
  'machinery/src/schema/',
  'machinery/src/fields/',
  'machinery/src/patch/',
  'machinery/src/yaml/',
  'apiserver/src/openapi/',
  'pki/src/requests/',
  'apiserver/src/registry/endpoints.ts',
  'apiserver/src/http/nodejs-server.ts',
  'apiserver/src/http/private-server.ts',
  'cli/src/worker/',
  'cli/src/workers/',
  'store/src/mirror/',
  'store/src/replica/',
];

test('pintle up is ready before it has loaded what serving objects takes', () => {
  const loaded = loadedBy(join(packagesDir, 'cli', 'src', 'up', 'up.ts'));
  for (const [file, by] of loaded) {
    expect(
      LATER.find((part) => file.startsWith(part)),
      `${by} imports ${file}: use import() there`,
    ).toBeUndefined();
  }
  expect(loaded.size).toBeGreaterThan(100);
});

/** Libraries that cost a start more than it needs of them; see docs/decisions/0048-one-of-each.md. */
const LATER_LIBRARIES = ['@peculiar/x509', 'prom-client', 'reflect-metadata', 'ws'];

test('pintle up is ready before it has loaded libraries for certificates, scrapes and WebSockets', () => {
  for (const file of loadedBy(join(packagesDir, 'cli', 'src', 'up', 'up.ts')).keys()) {
    const text = readFileSync(join(packagesDir, file), 'utf8');
    const named = [...text.matchAll(/^import (?!type\b)[^;]*?'([^']+)';$/gm)].map(([, specifier = '']) => specifier);
    for (const library of LATER_LIBRARIES) expect(named, `${file}: use import() there`).not.toContain(library);
  }
});

/** Texts for people, of which a program that serves or asks for objects needs none; see docs/decisions/0046-descriptions.md. */
const TEXTS = 'kinds/src/descriptions/generated/texts.ts';

test('no entry point of kinds loads descriptions but the one that is for them', () => {
  const { exports } = JSON.parse(readFileSync(join(packagesDir, 'kinds', 'package.json'), 'utf8'));
  const named = Object.keys(exports).filter((entry) => !entry.includes('*'));
  const generated = readdirSync(join(packagesDir, 'kinds', 'src', 'generated'), { recursive: true })
    .map((file) => `./${file}`.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''));
  expect(generated).toContain('./core/v1');
  const loading = [...named, ...generated].filter((entry) => loadedBy(sourceOf('kinds', entry.slice(1))).has(TEXTS));
  expect(loading).toEqual(['./descriptions']);
});

/** Every source that `entry` loads without import(), and by which other. */
function loadedBy(entry: string): Map<string, string> {
  const found = new Map<string, string>();
  const queue = [[entry, 'the command']] as [string, string][];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [file, by] = next;
    const name = relative(packagesDir, file);
    if (found.has(name)) continue;
    found.set(name, by);
    for (const target of staticImports(file)) queue.push([target, name]);
  }
  return found;
}

function staticImports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(/^(?:import|export)(?! type\b)[^;]*?from '([^']+)';$/gm);
  return [...statements].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) return [resolve(dirname(file), specifier)];
    const own = /^@pintle\/([a-z-]+)(\/.+)?$/.exec(specifier);
    return own === null ? [] : [sourceOf(own[1]!, own[2] ?? '')];
  });
}

/** The source behind an entry point of a package. */
function sourceOf(name: string, path: string): string {
  const { exports } = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8'));
  const source: string = exports[`.${path}`]?.['pintle:source'] ?? exports['./*']['pintle:source'];
  return join(packagesDir, name, source.replace('*', path.slice(1)));
}
