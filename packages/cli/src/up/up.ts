import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Authenticator } from '@pintle/apiserver';
import { AuthenticatorChain, CertificateAuthenticator, parseTokenFile, TokenAuthenticator } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { ControlPlane } from '../serve/control-plane.ts';
import { createLog } from '../serve/log.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { UsageError } from '../usage-error.ts';
import { openCredentials, openTokenKey } from './credentials.ts';
import { serverUrl, writeKubeconfig } from './kubeconfig.ts';

export interface UpOptions {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly memory?: boolean;
  readonly tokenAuthFile?: string;
  readonly controllers: string;
}

const AUDIT_LOG = { maxBytes: 20 * 1024 * 1024, maxBackups: 3 };

/** Runs the control plane until a signal asks it to stop. */
export async function up(options: UpOptions): Promise<void> {
  const stop = stopSignal();
  if (!options.memory) return await run(options, resolve(options.data), stop);
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  try {
    await run(options, folder, stop);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(options: UpOptions, folder: string, stop: Promise<unknown>): Promise<void> {
  const log = createLog();
  const { authority, server, admin } = await openCredentials(folder, { hosts: [options.host], nowMs: realClock.now() });
  const plane = await ControlPlane.open({
    folder: options.memory ? undefined : join(folder, 'store'),
    host: options.host,
    port: options.port,
    server,
    clientCa: authority.certificate,
    authenticator: await authenticatorOf(authority.certificate, options.tokenAuthFile),
    serviceAccounts: {
      rootCa: authority.certificate,
      ...(!options.memory && { keys: async () => ({ signing: await openTokenKey(folder) }) }),
    },
    ...(!options.memory && { audit: { ...AUDIT_LOG, path: join(folder, 'audit.log') } }),
    controllers: {
      choices: options.controllers.split(',').map((choice) => choice.trim()),
      authority,
    },
    log,
  });
  try {
    const url = serverUrl(options.host, plane.port);
    const kubeconfig = resolve(options.kubeconfig ?? join(folder, 'kubeconfig'));
    await writeKubeconfig(kubeconfig, { server: url, authority: authority.certificate, admin });
    announce({ url, kubeconfig, ...(options.memory ? {} : { folder }) });
    await stop;
    process.stdout.write('\n  Stopping. Ctrl-C again stops at once.\n');
  } finally {
    await plane.close();
    await log.flush();
  }
}

/** Client certificates of the authorities, and bearer tokens when a file lists some. */
export async function authenticatorOf(authorities: string, tokenFile: string | undefined): Promise<Authenticator> {
  const certificates = new CertificateAuthenticator({ authorities, clock: realClock });
  if (tokenFile === undefined) return certificates;
  return new AuthenticatorChain([certificates, new TokenAuthenticator(await readTokens(tokenFile))]);
}

async function readTokens(path: string): Promise<ReturnType<typeof parseTokenFile>> {
  try {
    return parseTokenFile(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`Cannot use the token file ${path}: ${(error as Error).message}`);
  }
}

function announce({ url, kubeconfig, folder }: { url: string; kubeconfig: string; folder?: string }): void {
  const readyMs = Math.round(performance.now());
  process.stdout.write(`
  Pintle is ready after ${readyMs} ms.

    address    ${url}
    data       ${folder ?? 'in memory; everything is gone when it stops'}

  In another terminal:

    export KUBECONFIG=${kubeconfig}
    kubectl get namespaces

  Ctrl-C stops it.

`);
}
