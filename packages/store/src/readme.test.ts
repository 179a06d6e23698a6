import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the lines that the README opens with run', () => {
  const packageDirectory = join(import.meta.dirname, '..');
  const readme = readFileSync(join(packageDirectory, 'README.md'), 'utf8');
  const directory = mkdtempSync(join(tmpdir(), 'pintle-readme-'));
  try {
    const [, code] = /```ts\n(.*?)```/s.exec(readme)!;
    const script = code!.replace("'./fruit-store'", JSON.stringify(directory));
    const options = { cwd: packageDirectory, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
    expect(stderr).toBe('');
    expect(stdout).toContain("key: '/fruit/apple'");
    expect(stdout).toContain('previous');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
