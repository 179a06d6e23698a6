import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const MAIN = join(import.meta.dirname, '..', 'main.js');
const ROUNDS = 7;
const POLL_MS = 5;
const SETTLE_MS = 500;

/** Serves one response over TLS and nothing else. */
const BARE_SERVER = `
const { readFileSync } = require('node:fs');
const { authority } = JSON.parse(readFileSync(process.argv[2]));
require('node:https')
  .createServer({ cert: authority.certificate, key: authority.privateKey }, (_, response) => response.end('ok'))
  .listen(Number(process.argv[3]), '127.0.0.1');
`;

interface Start {
  readonly readyMs: number;
  readonly residentMb: number;
}

/** Prints how long `pintle up` takes from spawn to /readyz on an existing data folder, and its memory after that. */
export async function bench(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  try {
    const data = join(folder, 'data');
    const port = await freePort();
    const up = [MAIN, 'up', '--data', data, '--port', String(port)];
    await measure(up, port);
    const bare = await bareArguments(folder, data, port);
    const rounds = { empty: [] as number[], bare: [] as Start[], up: [] as Start[] };
    for (let round = 0; round < ROUNDS; round++) {
      rounds.empty.push(await timeEmpty());
      rounds.bare.push(await measure(bare, port));
      rounds.up.push(await measure(up, port));
    }
    const bareMs = median(rounds.bare.map(({ readyMs }) => readyMs));
    print(`node -e 0, spawn to exit        ${ms(rounds.empty)}`);
    print(`bare TLS server, spawn to 200   ${ms(rounds.bare.map(({ readyMs }) => readyMs))}`);
    const upMs = rounds.up.map(({ readyMs }) => readyMs);
    print(`pintle up, spawn to /readyz     ${ms(upMs)}  ${(median(upMs) / bareMs).toFixed(1)} × the bare server`);
    print(`bare TLS server, idle RSS       ${mb(rounds.bare)}`);
    print(`pintle up, idle RSS             ${mb(rounds.up)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bareArguments(folder: string, data: string, port: number): Promise<string[]> {
  const script = join(folder, 'bare.cjs');
  const certificates = join(folder, 'credentials.json');
  await writeFile(script, BARE_SERVER);
  await writeFile(certificates, await readFile(join(data, 'credentials.json')));
  return [script, certificates, String(port)];
}

async function timeEmpty(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function measure(args: readonly string[], port: number): Promise<Start> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`Cannot measure ${args[0]}: it exited with ${child.exitCode}`);
      await sleep(POLL_MS);
    }
    const readyMs = performance.now() - started;
    await sleep(SETTLE_MS);
    return { readyMs, residentMb: residentMbOf(child) };
  } finally {
    const exited = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await exited;
  }
}

async function isReady(port: number): Promise<boolean> {
  const asked = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false });
  return await new Promise((resolve) => {
    asked.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

function residentMbOf({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function ms(values: readonly number[]): string {
  const range = `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
  return `${median(values).toFixed(0).padStart(5)} ms  (${range})`;
}

function mb(starts: readonly Start[]): string {
  return `${median(starts.map(({ residentMb }) => residentMb))
    .toFixed(0)
    .padStart(5)} MB`;
}
