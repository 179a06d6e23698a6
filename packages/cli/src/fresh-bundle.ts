import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the URL of the command as one file, which loads faster than hundreds (docs/decisions/0009-startup.md).
 * `undefined` when the file is missing, or when a package beside this one was compiled later: then the modules are newer.
 */
export function freshBundle(dist: string): string | undefined {
  const path = join(dist, 'bundle', 'run.js');
  const bundledMs = timeOf(path);
  if (bundledMs === undefined) return undefined;
  const packages = join(dist, '..', '..');
  const isStale = readdirSync(packages).some(
    (name) => (timeOf(join(packages, name, 'dist', '.tsbuildinfo')) ?? 0) > bundledMs,
  );
  return isStale ? undefined : pathToFileURL(path).href;
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
