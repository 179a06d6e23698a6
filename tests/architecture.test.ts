import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  console: [...ground, 'apiserver'],
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
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const bundled = Object.keys(manifest.devDependencies ?? {});
    for (const [file, target] of importsOf(name)) {
      if (target === name) continue;
      // The page of the console is one bundle: what it imports is built into it.
      const isBundled = file.includes(join('packages', 'console', 'src', 'web'));
      const all = isBundled ? [...declared, ...bundled] : declared;
      expect(all, `${file} imports @pintle/${target}`).toContain(`@pintle/${target}`);
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

describe.each(readdirSync(packagesDir))('folders of %s', (name) => {
  test('import each other in one direction, at every level', () => {
    expect(folderCycles(join(packagesDir, name, 'src'))).toEqual([]);
  });

  test('are named one by one where others may enter, and keep what only tests and benchmarks need', () => {
    const { exports = {}, files } = JSON.parse(readFileSync(join(packagesDir, name, 'package.json'), 'utf8'));
    // The built-in groups are generated: one module a version, hundreds of them.
    const wildcards = Object.keys(exports).filter((entry) => entry.includes('*'));
    expect(wildcards).toEqual(name === 'kinds' ? ['./*'] : []);
    const kept = readdirSync(join(packagesDir, name, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(^|\/)(bench|tests)$/.test(path),
    );
    const outside = kept.filter((path) => !isKeptBack(files, path));
    expect(outside).toEqual([]);
    // An entry whose files are not published is for the tests of this repository: it has sources, and no more. `./testing` may have
    // files for programs of the repository: scripts/pack.mjs leaves it out.
    for (const [entry, targets] of Object.entries<Record<string, string>>(exports)) {
      if (entry === './testing') continue;
      const path = targets['pintle:source']?.replace(/^\.\/src\/|\.ts$/g, '') ?? '';
      if (isKeptBack(files, path)) expect(Object.keys(targets), `${name} ${entry}`).toEqual(['pintle:source']);
    }
  });
});

/** Files that read the machine's clock or set timers themselves, with the reason. Everybody else is handed a `Clock`. */
const OWN_TIME: Readonly<Record<string, string>> = {
  'cel/src/functions/regex.ts': 'measures how slow a pattern is on this machine',
  'cli/src/envtest/etcd.ts': 'looks whether its parent process lives',
  'cli/src/project/dev.ts': 'tells a person how long a build took',
  'cli/src/up/up.ts': 'tells a person how long the start took',
  'http2/src/sender.ts': 'destroys a socket after what is being sent',
  'operator/src/manager/program.ts': 'keeps the process alive',
};

test('only async and the files listed here know what time it is', () => {
  const pattern = /\b(setTimeout|setInterval|setImmediate|Date\.now|performance\.now|Math\.random)\(/;
  // A page has the browser's clock and no other.
  const isAsked = (file: string) => !file.startsWith('async/') && !file.startsWith('console/src/web/');
  expect(sourcesWith(pattern, isAsked)).toEqual(Object.keys(OWN_TIME));
});

test('the ground does no I/O', () => {
  const isGround = (file: string) => ground.includes(file.split('/')[0]!) && !file.startsWith('kinds/generator');
  const pattern = /from 'node:(net|tls|https?|http2|fs|fs\/promises|dgram|child_process|dns)'/;
  expect(sourcesWith(pattern, isGround)).toEqual([
    // `isIP` alone.
    'pki/src/certificates.ts',
    'pki/src/read-certificates.ts',
    'pki/src/requests/certificate-request.ts',
  ]);
});

test('no verb of the registry imports another', () => {
  const verbs = join(packagesDir, 'apiserver', 'src', 'registry', 'verbs');
  for (const file of readdirSync(verbs)) {
    expect(readFileSync(join(verbs, file), 'utf8'), file).not.toMatch(/from '\.\/|from '\.\.\/verbs/);
  }
});

test('only compat names places in the sources of Kubernetes', () => {
  const isServer = (file: string) => servers.includes(file.split('/')[0]!);
  expect(sourcesWith(/\.go:\d+/, isServer)).toEqual(['apiserver/src/compat/schemes.ts']);
});

const APART = /\.test\.ts$|(^|\/)(testing|tests|bench|templates|generated|generator)\//;

/** The sources in use that match, as `package/src/file`. */
function sourcesWith(pattern: RegExp, isAsked: (file: string) => boolean): string[] {
  return readdirSync(packagesDir)
    .flatMap((name) =>
      readdirSync(join(packagesDir, name, 'src'), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${name}/src/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.ts') && !APART.test(file) && isAsked(file))
    .filter((file) => pattern.test(readFileSync(join(packagesDir, file), 'utf8')))
    .sort();
}

/** Whether the manifest keeps a folder of sources out of what is published. */
function isKeptBack(files: readonly string[], path: string): boolean {
  const parts = path.split('/');
  return files.some((entry) => {
    if (!entry.startsWith('!dist/')) return false;
    const kept = entry.slice('!dist/'.length);
    return kept.startsWith('**/') ? parts.includes(kept.slice(3)) : path === kept || path.startsWith(`${kept}/`);
  });
}

/** Circles among the children of any folder, as `folder: child child`. A file and a folder may be in one, too. */
function folderCycles(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !APART.test(file),
  );
  const imports = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
      (match): [string, string] => [file, join(dirname(file), match[1]!)],
    ),
  );
  const folders = new Set(['.', ...files.flatMap((file) => parentsOf(file))]);
  return [...folders].flatMap((folder) => {
    const arrows = new Map<string, Set<string>>();
    for (const [from, to] of imports) {
      const [a, b] = [childOf(folder, from), childOf(folder, to)];
      if (a === undefined || b === undefined || a === b) continue;
      arrows.set(a, (arrows.get(a) ?? new Set()).add(b));
    }
    const isCircular = (child: string) => !child.endsWith('.ts') && reaches(arrows, child, child);
    const circle = [...arrows.keys()].filter(isCircular);
    return circle.length === 0 ? [] : [`${folder}: ${circle.sort().join(' ')}`];
  });
}

function reaches(arrows: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const next of arrows.get(at) ?? []) {
      if (next === to) return true;
      if (!seen.has(next)) queue.push(next);
      seen.add(next);
    }
  }
  return false;
}

function parentsOf(file: string): string[] {
  const parent = dirname(file);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

function childOf(folder: string, file: string): string | undefined {
  if (folder === '.') return file.split('/')[0];
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
}

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
