import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApi, createWebhook, initProject } from '@pintle/generate';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const parent = mkdtempSync(join(tmpdir(), 'pintle-webhook-scaffold-'));
const project = join(parent, 'fruits');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** The fields of each kind's `spec`, and the field that the sample webhook judges. */
const KINDS: Record<string, { readonly spec: string; readonly judged?: string }> = {
  Required: { spec: 'z.object({ host: z.string(), replicas: z.int().default(1) })', judged: 'host' },
  Optional: { spec: 'z.object({ weight: z.int().optional(), colour: z.string().optional() })', judged: 'colour' },
  Pattern: { spec: 'z.object({ host: z.string().regex(/^[a-z]+[.]example$/) })' },
  Several: { spec: 'z.object({ host: z.string(), path: z.string() })' },
  Numbers: { spec: 'z.object({ replicas: z.int() })' },
  Union: { spec: 'z.union([z.object({ a: z.string() }), z.object({ b: z.int() })])' },
};

test('create webhook writes code that compiles after the fields were replaced', { timeout: 120_000 }, async () => {
  initProject(project, { name: 'fruits', domain: 'example.com', version: '1.2.3' });
  symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'));
  for (const [kind, { spec, judged }] of Object.entries(KINDS)) {
    createApi(project, { group: 'food', version: 'v1', kind, controller: false });
    const module = join(project, 'src', kind.toLowerCase(), kind.toLowerCase());
    const text = readFileSync(`${module}.ts`, 'utf8');
    const replaced = text
      .replace(/z\.object\(\{\n {4}\/\*\* Message that[\s\S]*?\n {2}\}\)/, spec)
      .replace(/ {2}columns: .*\n/, '');
    expect(replaced).not.toContain('message');
    writeFileSync(`${module}.ts`, replaced);
    createWebhook(project, { kind, webhooks: ['defaulting'] });
    createWebhook(project, { kind, webhooks: ['validation'] });
    const webhooks = readFileSync(`${module}-webhooks.ts`, 'utf8');
    expect(/spec\.([a-z]+)/.exec(webhooks)?.[1], kind).toBe(judged);
  }
  createApi(project, { group: 'food', version: 'v2', kind: 'Required', controller: false });
  createWebhook(project, { kind: 'Required', webhooks: ['conversion'] });
  expect(readFileSync(join(project, 'src', 'required', 'required-conversion.test.ts'), 'utf8')).toContain(
    "host: 'good'",
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = promisify(execFile)(process.execPath, [tsc, '--noEmit'], { cwd: project });
  await expect(compiled.catch(({ stdout }) => ({ stdout }))).resolves.toMatchObject({ stdout: '' });
});
