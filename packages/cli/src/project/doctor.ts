import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GenerateError, readProject } from '@pintle/generate';
import { terminalText } from '../terminal-text.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
import { packageVersion } from './version.ts';

interface Check {
  readonly name: string;
  /** Gives what was found; throws what is wrong. */
  run(): string | Promise<string>;
}

/** `pintle doctor`: looks at everything that the other commands rely on. */
export async function doctor(flags: ClusterFlags & { readonly output?: 'text' | 'json' }): Promise<void> {
  const findings = [];
  for (const { name, run } of checks(process.cwd(), flags)) {
    try {
      findings.push({ name, isGood: true, detail: await run() });
    } catch (error) {
      findings.push({ name, isGood: false, detail: (error as Error).message });
    }
  }
  if (flags.output === 'json') process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else
    for (const { name, isGood, detail } of findings)
      process.stdout.write(`${isGood ? 'ok' : 'NO'} ${name.padEnd(12)} ${terminalText(detail)}\n`);
  if (findings.some(({ isGood }) => !isGood)) process.exitCode = 1;
}

function checks(directory: string, flags: ClusterFlags): Check[] {
  return [
    { name: 'node', run: nodeVersion },
    { name: 'pintle', run: () => `version ${packageVersion()}` },
    { name: 'project', run: () => projectOf(directory) },
    { name: 'packages', run: () => packagesOf(directory) },
    { name: 'cluster', run: () => clusterOf(flags) },
  ];
}

const LEAST = [20, 19] as const;

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
    throw new Error(`${process.version} is too old: it takes ${LEAST.join('.')} or newer`);
  return process.version;
}

function projectOf(directory: string): string {
  try {
    const { name, resources } = readProject(directory);
    return `${name}, ${resources.length} ${resources.length === 1 ? 'resource' : 'resources'}`;
  } catch (error) {
    if (error instanceof GenerateError && error.failure.code === 'NotAProject') return 'none in this folder';
    throw error;
  }
}

/** A project whose packages are of several versions behaves in ways that nobody has seen. */
function packagesOf(directory: string): string {
  if (!existsSync(join(directory, 'package.json'))) return 'no package.json in this folder';
  const require = createRequire(join(directory, 'package.json'));
  const versions = ['client', 'operator', 'testing'].map((name) => versionOf(require, `@pintle/${name}`));
  const different = new Set(versions.filter((version) => version !== undefined));
  if (different.size === 0) throw new Error('none are installed; run npm install');
  if (different.size > 1) throw new Error(`of several versions: ${[...different].join(', ')}; run npm update`);
  return `version ${[...different][0]}`;
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    const manifest = require.resolve(name).replace(/dist[\\/][^\\/]*$/, 'package.json');
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}

async function clusterOf(flags: ClusterFlags): Promise<string> {
  await using client = await connectTo(flags);
  const { gitVersion } = (await client.call({ method: 'GET', path: '/version' })) as { gitVersion: string };
  return `answers, version ${gitVersion}`;
}
