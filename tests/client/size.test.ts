import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('the client brings at most three packages of others, and at most 15 MB', () => {
  const packages = closureOf('@pintle/client');
  const others = [...packages].filter((name) => !name.startsWith('@pintle/'));
  expect(others.length, others.join(' ')).toBeLessThanOrEqual(3);
  const bytes = [...packages].reduce((sum, name) => sum + installedBytes(name), 0);
  expect(bytes).toBeLessThan(15 * 1024 * 1024);
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function closureOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(manifestOf(name).dependencies ?? {})) closureOf(dependency, found);
  return found;
}

/** What npm would unpack: of our own packages, what is published of them. */
function installedBytes(name: string): number {
  const folder = join(root, 'node_modules', name);
  const isOurs = name.startsWith('@pintle/');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => !isOurs || isPublished(file))
    .map((file) => statSync(join(folder, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

function isPublished(file: string): boolean {
  if (!/^(?:dist[/\\]|README|package\.json)/.test(file)) return false;
  return !/\.test\.|\.map$|\.tsbuildinfo$/.test(file);
}
