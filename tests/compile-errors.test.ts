import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { scaffoldFruits, TWO_VERSIONS } from './helpers/project.ts';

const TIMEOUT = { timeout: 120_000 };
const { parent, project } = await scaffoldFruits();
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Returns the lines of the compiler that begin an error, with what follows each. */
async function errorsOf(resource: string): Promise<string[]> {
  writeFileSync(join(project, 'src', 'fruit', 'fruit.ts'), resource);
  const compiling = promisify(execFile)(process.execPath, [tsc, '--noEmit'], { cwd: project });
  const { stdout } = await compiling.catch((error: { stdout: string }) => error);
  return stdout.split(/\n(?=\S)/).filter((text) => text.includes('error TS'));
}

test(
  'a column of a version that leads nowhere is one error, which names the path and the right one',
  TIMEOUT,
  async () => {
    expect(await errorsOf(TWO_VERSIONS)).toEqual([]);
    const columns = (path: string) =>
      `status, columns: [{ name: 'Weight', type: 'integer', jsonPath: '${path}' }] },\n    v2`;
    expect(await errorsOf(TWO_VERSIONS.replace('status },\n    v2', columns('.spec.weight')))).toEqual([]);
    const errors = await errorsOf(TWO_VERSIONS.replace('status },\n    v2', columns('.spec.wieght')));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^src\/fruit\/fruit\.ts.*LeadsNowhere<".spec.wieght", .*".spec.weight"/s);
  },
);
