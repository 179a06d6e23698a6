import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Which packages a package may import from: the rows below its own in the map of ARCHITECTURE.md, and its arrow. */
const ground = ['async', 'machinery', 'cel', 'http2', 'kinds', 'pki', 'metrics'];
const servers = ['apiserver', 'apiextensions', 'aggregator', 'kube-apiserver'];
const halves = [...ground, 'store', 'store-etcd', 'client', 'operator', ...servers];
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  async: [],
  machinery: ['async'],
  cel: ['machinery'],
  http2: [],
  kinds: ['async', 'machinery', 'cel'],
  pki: ['async', 'machinery'],
  metrics: ['async'],
  store: ['async'],
  'store-etcd': [...ground, 'store'],
  apiserver: [...ground, 'store'],
  apiextensions: [...ground, 'store', 'apiserver'],
  aggregator: [...ground, 'store', 'apiserver'],
  'kube-apiserver': [...ground, 'store', 'apiserver', 'apiextensions', 'aggregator'],
  client: ground,
  operator: [...ground, 'client'],
  controllers: [...ground, 'client', 'operator'],
  generate: [...ground, 'client', 'operator'],
  testing: [...halves, 'controllers', 'generate'],
  cli: [...halves, 'controllers', 'generate', 'testing', 'console'],
  'create-pintle': ['cli'],
  console: ground,
};

const packagesDir = join(import.meta.dirname, '..', 'packages');

describe.each(readdirSync(packagesDir))('package %s', (name) => {
  const allowed = ARROWS[name];
  const manifest = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8'));

  test('is on the map', () => expect(allowed).toBeDefined());

  test('imports only along the arrows', () => {
    for (const [file, target] of importsOf(name)) {
      if (target === name) continue;
      expect(allowed, `${file} imports @pintle/${target}`).toContain(target);
    }
  });

  test('declares what it imports', () => {
    const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
    for (const [file, target] of importsOf(name)) {
      if (target === name) continue;
      expect(declared, `${file} imports @pintle/${target}`).toContain(`@pintle/${target}`);
    }
  });
});

test('prom-client is imported by its front door', () => {
  for (const name of readdirSync(packagesDir)) {
    for (const file of sourcesOf(name)) {
      expect(readFileSync(file, 'utf8'), file).not.toMatch(/['"]prom-client\/\w/);
    }
  }
});

/** Every `@pintle/…` import of a package's sources, as [file, package]. */
function importsOf(name: string): [string, string][] {
  return sourcesOf(name).flatMap((file) => {
    const whole = readFileSync(file, 'utf8');
    // A template is the text of somebody else's file: only what stands before its first one is this file's.
    const text = file.includes('/templates/') ? (whole.split('`')[0] ?? '') : whole;
    return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]@pintle\/([a-z0-9-]+)/g)].map((match): [string, string] => [
      file,
      match[1]!,
    ]);
  });
}

/** The sources of a package, without templates, which hold other programs' imports. */
function sourcesOf(name: string): string[] {
  const root = join(packagesDir, name, 'src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('/templates/'))
    .map((file) => join(root, file));
}
