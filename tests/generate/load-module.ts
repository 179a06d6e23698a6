import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DefinedResource } from '@pintle/operator';

const OPERATOR = join(import.meta.dirname, '../../packages/operator/src/index.ts');
const ZOD = createRequire(OPERATOR).resolve('zod');

/** What a generated module exports under `name`. */
export async function loadModule(text: string, name: string): Promise<DefinedResource> {
  const folder = mkdtempSync(join(tmpdir(), 'pintle-generated-'));
  try {
    const file = join(folder, 'module.ts');
    writeFileSync(file, text.replace("'@pintle/operator'", `'${OPERATOR}'`).replace("'zod'", `'${ZOD}'`));
    return ((await import(file)) as Record<string, DefinedResource>)[name]!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
