import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@pintle/client';
import { connect, loadConfig, RestMapper, waitFor } from '@pintle/client';
import { createApi, createWebhook, initProject } from '@pintle/generate';
import { packageVersion } from '../project/version.ts';

const MAIN = join(import.meta.dirname, '..', 'main.js');
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const ROUNDS = 5;
const HELP_ROUNDS = 30;
const APPLE = { namespace: 'default', name: 'apple' };
const FRUIT = { apiVersion: 'food.example.com/v1', kind: 'Fruit' };

/** Prints how soon a change of a scaffolded operator's code shows in its objects, and how soon `pintle --help` answers. */
export async function bench(print: (line: string) => void): Promise<void> {
  const [empty, help] = await alternately(['-e', '0'], [MAIN, '--help']);
  const more = median(help) - median(empty);
  print(`node -e 0, spawn to exit              ${shown(empty)}`);
  print(`pintle --help, spawn to exit          ${shown(help)}  ${more.toFixed(0)} ms more than node -e 0`);
  const changes = await changesShown();
  print(`pintle dev, change to status          ${shown(changes)}  ${ratio(changes, empty)} × node -e 0`);
}

/** Measures both alternately, so that load on the machine affects both. */
async function alternately(one: readonly string[], other: readonly string[]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < HELP_ROUNDS; round++) {
    times[0].push(await timed(one));
    times[1].push(await timed(other));
  }
  return times;
}

async function timed(args: readonly string[]): Promise<number> {
  const began = performance.now();
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

async function changesShown(): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'pintle-dev-bench-'));
  try {
    initProject(directory, { name: 'fruits', domain: 'example.com', version: packageVersion() });
    createApi(directory, { group: 'food', version: 'v1', kind: 'Fruit' });
    createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting', 'validation'] });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    return await withDev(directory, (client) => rounds(directory, client));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function withDev<T>(directory: string, work: (client: Client) => Promise<T>): Promise<T> {
  const dev = spawn(process.execPath, [MAIN, 'dev', '--port', '0'], { cwd: directory });
  const ended = once(dev, 'exit');
  try {
    await logged(dev, 'Became the leader');
    await using client = await connect(await loadConfig({ kubeconfig: join(directory, '.pintle', 'kubeconfig') }));
    return await work(client);
  } finally {
    dev.kill('SIGTERM');
    await ended;
  }
}

async function logged({ stdout }: ChildProcess, text: string): Promise<void> {
  let log = '';
  for await (const chunk of stdout!.iterator({ destroyOnReturn: false })) {
    log += chunk;
    if (log.includes(text)) break;
  }
  stdout!.resume();
}

async function rounds(directory: string, client: Client): Promise<number[]> {
  const type = await new RestMapper({ client }).kind(FRUIT);
  const path = join(directory, 'src', 'fruit', 'fruit-controller.ts');
  const code = readFileSync(path, 'utf8');
  const seen = (text: string) =>
    waitFor(client, type, APPLE, (fruit) => (fruit as { status?: { seen?: string } })?.status?.seen === text);
  const apple = { ...FRUIT, metadata: APPLE, spec: { message: 'crisp' } };
  await client.create(type, apple);
  await seen('crisp');
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await new Promise((done) => setTimeout(done, 3000));
    const began = performance.now();
    writeFileSync(path, code.replace('fruit.spec.message', `'round ${round}'`));
    await seen(`round ${round}`);
    times.push(performance.now() - began);
  }
  return times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function ratio(values: readonly number[], base: readonly number[]): string {
  return (median(values) / median(base)).toFixed(1);
}

function shown(values: readonly number[]): string {
  const range = `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
  return `${median(values).toFixed(0).padStart(5)} ms  (${range})`;
}
