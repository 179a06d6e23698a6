import { execFile } from 'node:child_process';
import { mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
export const MAIN = join(ROOT, 'packages', 'cli', 'dist', 'main.js');

/** A project of its own in a folder that nobody else uses, on the packages of this repository. */
export async function scaffoldFruits(): Promise<{ readonly parent: string; readonly project: string }> {
  const parent = mkdtempSync(join(tmpdir(), 'pintle-fruits-'));
  const project = join(parent, 'fruits');
  symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'));
  await pintle(parent, 'init fruits --domain example.com --yes');
  await pintle(project, 'create api --group food --version v1 --kind Fruit');
  await pintle(project, 'create webhook --kind Fruit --defaulting --validation');
  return { parent, project };
}

/** Returns the output of a command; rejects with it when the command fails. */
export async function pintle(cwd: string, line: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...line.split(' ')], { cwd, env });
  return stdout;
}

/** As vim, JetBrains' editors and formatters save. */
export function saveByRename(path: string, text: string): void {
  const beside = join(dirname(path), '.saving~');
  writeFileSync(beside, text);
  renameSync(beside, path);
}

/** The module of a resource in two versions, and what converts between them. */
export const TWO_VERSIONS = `import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

const status = z.object({ seen: z.string().optional(), conditions: conditions() });

export const Fruit = defineResource({
  group: 'food.example.com',
  kind: 'Fruit',
  versions: {
    v1: { spec: z.object({ message: z.string().default('hello'), weight: z.int().optional() }), status },
    v2: { spec: z.object({ text: z.string(), /** In grams. */ weight: z.int().optional() }), status },
  },
  storage: 'v1',
  conversions: {
    v2: {
      toHub: ({ spec: { text, ...spec } }) => ({ spec: { ...spec, message: text } }),
      fromHub: ({ spec: { message, ...spec } }) => ({ spec: { ...spec, text: message } }),
    },
  },
});
export type Fruit = typeof Fruit.Type;
`;
