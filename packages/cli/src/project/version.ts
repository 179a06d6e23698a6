import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Returns the version of this command, which all packages of Pintle share. */
export function packageVersion(): string {
  const path = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

/** The command in a project. Without the flag, npx asks a registry for a package named pintle, which is not ours. */
export const PINTLE = 'npx --no-install pintle';
