import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Of this command; the packages that go with it have the same. */
export function packageVersion(): string {
  const path = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

/** As a person in a project calls this command. Without the flag, npx asks a registry for a name that is not ours. */
export const PINTLE = 'npx --no-install pintle';
