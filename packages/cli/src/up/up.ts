import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Authenticator } from '@pintle/apiserver';
import {
  ApiServer,
  AuthenticatorChain,
  CertificateAuthenticator,
  NodeListener,
  parseTokenFile,
  TokenAuthenticator,
} from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import type { Store } from '@pintle/store';
import { openLmdbStore, openMemoryStore, StoreError } from '@pintle/store';
import { UsageError } from '../usage-error.ts';
import type { Credentials } from './credentials.ts';
import { openCredentials } from './credentials.ts';
import { writeKubeconfig } from './kubeconfig.ts';

export interface UpOptions {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly memory?: boolean;
  readonly tokenAuthFile?: string;
}

/** Runs the control plane until a signal asks it to stop. */
export async function up(options: UpOptions): Promise<void> {
  const folder = options.memory ? await mkdtemp(join(tmpdir(), 'pintle-')) : resolve(options.data);
  const credentials = await openCredentials(folder, { hosts: [options.host], nowMs: realClock.now() });
  const authenticator = await authenticatorOf(options, credentials);
  const store = await openStore(options, folder);
  try {
    const server = await ApiServer.open({
      store,
      clock: realClock,
      random: systemRandom,
      authenticator,
      onError: (error, { auditId, path }) => {
        process.stderr.write(
          `${JSON.stringify({ level: 'error', message: 'Request failed', auditId, path, error: String(error instanceof Error ? error.stack : error) })}\n`,
        );
      },
    });
    const listener = await listen(options, credentials, server);
    const kubeconfig = resolve(options.kubeconfig ?? join(folder, 'kubeconfig'));
    await writeKubeconfig(kubeconfig, { server: `https://${options.host}:${listener.port}`, credentials });
    announce(options, folder, kubeconfig, listener.port);
    await stopSignal();
    process.stdout.write('\nStopping …\n');
    await listener.close();
  } finally {
    await store.close();
  }
}

async function authenticatorOf({ tokenAuthFile }: UpOptions, { authority }: Credentials): Promise<Authenticator> {
  const certificates = new CertificateAuthenticator({ authorities: authority, clock: realClock });
  if (tokenAuthFile === undefined) return certificates;
  const tokens = new TokenAuthenticator(parseTokenFile(await readFile(tokenAuthFile, 'utf8')));
  return new AuthenticatorChain([certificates, tokens]);
}

async function openStore(options: UpOptions, folder: string): Promise<Store> {
  if (options.memory) return await openMemoryStore({ clock: realClock });
  try {
    return await openLmdbStore(join(folder, 'store'), { clock: realClock });
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Locked') throw error;
    throw new UsageError(`${error.message}. Stop that server first, or choose another folder with --data.`);
  }
}

async function listen(options: UpOptions, { authority, server }: Credentials, api: ApiServer): Promise<NodeListener> {
  try {
    return await NodeListener.listen({
      handle: (request) => api.handle(request),
      host: options.host,
      port: options.port,
      certificate: server.certificate,
      privateKey: server.privateKey,
      clientCa: authority,
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    const why = code === 'EADDRINUSE' ? 'something else is listening there' : 'it is not allowed here';
    throw new UsageError(`Cannot listen on ${options.host}:${options.port}: ${why}. Choose another port with --port.`);
  }
}

function announce(options: UpOptions, folder: string, kubeconfig: string, port: number): void {
  const readyMs = Math.round(performance.now());
  process.stdout.write(
    [
      '',
      `  Pintle is ready after ${readyMs} ms.`,
      '',
      `    address    https://${options.host}:${port}`,
      `    storage    ${options.memory ? 'memory; everything is gone when it stops' : join(folder, 'store')}`,
      '',
      '  In another terminal:',
      '',
      `    export KUBECONFIG=${kubeconfig}`,
      '    kubectl get namespaces',
      '',
      '  Ctrl-C stops it.',
      '',
    ].join('\n'),
  );
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
