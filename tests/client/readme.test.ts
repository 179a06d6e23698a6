import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as client from '@pintle/client';
import * as errors from '@pintle/machinery/errors';
import { expect, test } from 'vitest';
import { useSocketCluster } from '../helpers/cluster.ts';

const cluster = useSocketCluster();
const ROOT = join(import.meta.dirname, '..', '..');
const folder = join(ROOT, 'packages', 'client');
const migration = readFileSync(join(ROOT, 'docs', 'migrating-from-client-node.md'), 'utf8');

test('the lines that the README of the client opens with run, and print what they say', async () => {
  const script = firstScript(readFileSync(join(folder, 'README.md'), 'utf8'));
  const promised = [...script.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
  expect((await run(['--input-type=module', '-e', script])).trim().split('\n')).toEqual(promised);
});

test('so do those for people who come from client-node', async () => {
  const script = firstScript(migration).replace("'web'", "'no-such-pod'");
  expect(await run(['--input-type=module', '-e', script])).toBe('there is no web yet\n');
});

/** What the calls of the table take for granted. */
const GIVEN = `
import { pipeline } from 'node:stream';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
declare const file: string, text: string, namespace: string, name: string, labelSelector: string, node: string;
declare const resourceVersion: string, fieldManager: string, container: string, expirationSeconds: number;
declare const command: string[], audiences: string[], body: {}, signal: AbortSignal, pod: Pod;
declare const ref: { namespace: string; name: string }, metadata: { namespace: string; name: string }, spec: {};
declare const socket: import('node:net').Socket, done: () => void;
declare const session: ExecSession, informer: Informer<Pod>;
`;

test('what the table says to write instead is TypeScript that the client takes', async () => {
  const cells = [...migration.matchAll(/^\| .* \| (.*) \|$/gm)].map(([, cell = '']) => cell);
  const calls = cells.flatMap((cell) => [...cell.matchAll(/`([^`…]*\([^`…]*)`/g)].map(([, call = '']) => call));
  expect(calls.length).toBeGreaterThan(20);
  const bodies = calls.map((call, index) => `export async function row${index}() { ${given(call)} ${call}; }`);
  const file = `import { ${Object.keys(client).join(', ')} } from '@pintle/client';
import { ${Object.keys(errors).join(', ')} } from '@pintle/machinery/errors';
${GIVEN}
${bodies.join('\n')}
`;
  const place = mkdtempSync(join(ROOT, 'node_modules', '.docs-'));
  try {
    writeFileSync(join(place, 'table.mts'), file);
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --lib es2023,esnext.disposable --module nodenext';
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(await run([tsc, ...flags.split(' '), '--types', 'node', join(place, 'table.mts')])).toBe('');
  } finally {
    rmSync(place, { recursive: true });
  }
});

/** A row that does not make its own takes what the first rows made. */
function given(call: string): string {
  const made = /const (\w+) =/.exec(call)?.[1];
  const rest = [
    ['config', 'ClientConfig'],
    ['client', 'Client'],
  ].filter(([name]) => name !== made && new RegExp(`\\b${name}\\b`).test(call));
  return rest
    .map(([name, type]) => `const ${name} = undefined as unknown as import('@pintle/client').${type};`)
    .join(' ');
}

function firstScript(page: string): string {
  return /```ts\n(.*?)```/s.exec(page)![1]!;
}

async function run(args: readonly string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: cluster().kubeconfig };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await once(child, 'close');
  return printed;
}
