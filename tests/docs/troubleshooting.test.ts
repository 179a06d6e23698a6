import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the code of all packages without tests, with spaces as the messages have them. */
function sources(): string {
  const packages = join(ROOT, 'packages');
  return readdirSync(packages)
    .flatMap((name) => {
      const folder = join(packages, name, 'src');
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
    })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|src[\\/](?:.*[\\/])?(?:generated|testing)[\\/]/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

test('every message of docs/troubleshooting.md is in the code', () => {
  const page = readFileSync(join(ROOT, 'docs', 'troubleshooting.md'), 'utf8');
  const messages = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, text]) => text!);
  expect(messages.length).toBeGreaterThanOrEqual(30);
  const code = sources();
  const unknown = messages.flatMap((message) => message.split('…').map((part) => part.trim().replace(/^:\s*/, '')));
  expect(unknown.filter((part) => part.length > 3 && !code.includes(part))).toEqual([]);
});
