import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { realClock } from '@pintle/async';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { freePort } from './free-port.ts';

const MAIN = join(import.meta.dirname, '..', 'main.js');
const ROUNDS = 7;
const POLL_MS = 5;

/** Prints how long the programs of `pintle envtest-assets` take from spawn to healthy, with the flags of envtest. */
export async function bench(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  try {
    execFileSync(process.execPath, [MAIN, 'envtest-assets', folder], { stdio: 'ignore' });
    await writeCertificates(folder);
    const [etcd, server, bare]: number[][] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      const port = await freePort();
      bare!.push(await timeBare());
      etcd!.push(await timed(join(folder, 'etcd'), etcdFlags(port), `http://127.0.0.1:${port}/health`));
      server!.push(
        await timed(join(folder, 'kube-apiserver'), flags(folder, port), `https://127.0.0.1:${port}/healthz`),
      );
    }
    print(`node -e 0, spawn to exit           ${ms(bare!)}`);
    print(`etcd, spawn to healthy             ${ms(etcd!)}`);
    print(`kube-apiserver, spawn to healthy   ${ms(server!)}   (bound 500 ms)`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the files that envtest writes to its folder. */
async function writeCertificates(folder: string): Promise<void> {
  const nowMs = realClock.now();
  const authority = await createAuthority('envtest', 7, nowMs);
  const about = { commonName: 'localhost', hosts: ['localhost', '127.0.0.1'], usage: 'server', days: 7 } as const;
  const [serving, signer] = [
    await issueCertificate(authority, about, nowMs),
    await createAuthority('signer', 7, nowMs),
  ];
  const files = {
    'apiserver.crt': serving.certificate,
    'apiserver.key': serving.privateKey,
    'sa-signer.crt': signer.certificate,
    'sa-signer.key': signer.privateKey,
    'client-cert-auth-ca.crt': authority.certificate,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
}

function etcdFlags(port: number): string[] {
  const url = `http://127.0.0.1:${port}`;
  return [`--advertise-client-urls=${url}`, `--listen-client-urls=${url}`, '--unsafe-no-fsync=true'];
}

function flags(folder: string, port: number): string[] {
  return [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--client-ca-file=${join(folder, 'client-cert-auth-ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount',
    '--etcd-servers=http://127.0.0.1:1',
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${join(folder, 'sa-signer.crt')}`,
    `--service-account-signing-key-file=${join(folder, 'sa-signer.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ];
}

async function timed(program: string, args: readonly string[], url: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn(program, args, { stdio: 'ignore' });
  try {
    while (!(await isHealthy(url))) {
      if (child.exitCode !== null) throw new Error(`Cannot measure ${program}: it exited with ${child.exitCode}`);
      await sleep(POLL_MS);
    }
    return performance.now() - startMs;
  } finally {
    await stop(child);
  }
}

async function timeBare(): Promise<number> {
  const startMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startMs;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGTERM');
  await exited;
}

function isHealthy(url: string): Promise<boolean> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  return new Promise((resolve) => {
    const asked = get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
  });
}

function ms(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const range = `${sorted[0]!.toFixed(0)}–${sorted.at(-1)!.toFixed(0)}`;
  return `${sorted[sorted.length >> 1]!.toFixed(0).padStart(5)} ms  (${range})`;
}
