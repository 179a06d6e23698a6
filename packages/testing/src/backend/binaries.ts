import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { chooseContext, parseKubeconfig } from '@pintle/client';
import { createAuthority } from '@pintle/pki';
import { ADMIN } from './backend.ts';
import { Certificates } from './certificates.ts';
import type { Choice } from './environment.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import { helpOf, Program } from './program.ts';
import { RemoteBackend } from './remote-backend.ts';

/**
 * Runs etcd and kube-apiserver from their binaries with the flags of controller-runtime's envtest, in a temporary folder.
 */
export async function openBinaries(choice: Choice & { readonly kind: 'binaries' }): Promise<RemoteBackend> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-envtest-'));
  const programs: Program[] = [];
  const close = async (): Promise<void> => {
    for (const program of programs.reverse()) await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const etcd = await startEtcd(choice, folder, programs);
    const { kubeconfig } = await startApiServer(choice, folder, etcd, programs);
    const config = chooseContext(await parseKubeconfig(kubeconfig));
    return new RemoteBackend({ kind: 'binaries', config, kubeconfig: async () => kubeconfig, close });
  } catch (error) {
    await close();
    throw error;
  }
}

type Binaries = Choice & { readonly kind: 'binaries' };

async function startEtcd({ etcd, timeoutMs }: Binaries, folder: string, programs: Program[]): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  const isFast = /^\s*--unsafe-no-fsync\b/m.test(await helpOf(etcd));
  const program = new Program(etcd, [
    `--advertise-client-urls=${client}`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    ...(isFast ? ['--unsafe-no-fsync=true'] : []),
  ]);
  programs.push(program);
  await program.until(() => isHealthy(`${client}/health`), timeoutMs);
  return client!;
}

async function startApiServer(
  { apiServer, timeoutMs }: Binaries,
  folder: string,
  etcd: string,
  programs: Program[],
): Promise<{ readonly kubeconfig: string }> {
  const port = await freePort();
  const nowMs = realClock.now();
  const certificates = await Certificates.create(nowMs);
  const authority = certificates.authority.certificate;
  const [serving, signer] = [await certificates.server(), await createAuthority('service-accounts', 7, nowMs)];
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  await file('apiserver.crt', serving.certificate);
  await file('apiserver.key', serving.privateKey);
  const server = `https://127.0.0.1:${port}`;
  const program = new Program(apiServer, [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--client-ca-file=${await file('client-cert-auth-ca.crt', authority)}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    `--service-account-issuer=${server}/`,
    `--service-account-key-file=${await file('sa-signer.crt', signer.certificate)}`,
    `--service-account-signing-key-file=${await file('sa-signer.key', signer.privateKey)}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  programs.push(program);
  await program.until(() => isHealthy(`${server}/healthz`, authority), timeoutMs);
  const admin = await certificates.client(ADMIN);
  return { kubeconfig: kubeconfigOf({ server, authority, user: ADMIN.username, ...admin }) };
}

/** Returns a port that is free now; another program may take it before ours does. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port');
  return address.port;
}

/** True when the URL responds with 200. `authority`: CA of the server's certificate, in PEM. */
export function isHealthy(url: string, authority?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, ...(authority !== undefined && { ca: authority }) } as const;
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const request = get(url, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
