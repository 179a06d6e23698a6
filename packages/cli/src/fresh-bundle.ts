import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The URL of the command as one file, which loads faster than hundreds (docs/decisions/0009-startup.md). `undefined` when
 * it was not made, or when a package beside this one has been compiled since: then the modules are what counts.
 */
export function freshBundle(dist: string): string | undefined {
  const path = join(dist, 'bundle', 'run.js');
  const madeMs = timeOf(path);
  if (madeMs === undefined) return undefined;
  const packages = join(dist, '..', '..');
  const isStale = readdirSync(packages).some(
    (name) => (timeOf(join(packages, name, 'dist', '.tsbuildinfo')) ?? 0) > madeMs,
  );
  return isStale ? undefined : pathToFileURL(path).href;
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
