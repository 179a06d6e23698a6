import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RequestHeaderOptions } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import type { MemoryDisk } from '@pintle/store';
import { auditModeOf, STRICT_AUDIT_POLICY } from '../apiserver/audit-mode.ts';
import { authOf } from '../apiserver/auth-flags.ts';
import { compactionIntervalOf, etcdOf, refuseEncryption } from '../apiserver/etcd-flags.ts';
import { type Flag, type ParsedFlags, parseFlags } from '../apiserver/flags.ts';
import { http2Of } from '../apiserver/tls-flags.ts';
import { workersOf } from '../apiserver/worker-flags.ts';
import { type Credentials, FRONT_PROXY, keepCredentials, openCredentials } from '../credentials/credentials.ts';
import { serverUrl, writeKubeconfig } from '../credentials/kubeconfig.ts';
import { readControllers } from '../read-values.ts';
import { adminLink, CONSOLE_PATH } from '../serve/console.ts';
import { type AuditLog, ControlPlane } from '../serve/control-plane.ts';
import type { Kubelet } from '../serve/controllers.ts';
import { LiveCertificates } from '../serve/live-certificates.ts';
import { createLog, type Log } from '../serve/log.ts';
import { renewWhileRunning } from '../serve/refresh-certificates.ts';
import type { EtcdOptions } from '../serve/shared-store.ts';
import { channelClosed, stopSignal } from '../serve/stop-signal.ts';
import { UsageError } from '../usage-error.ts';

interface UpOptions {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly memory?: boolean;
  /** Path of a snapshot of etcd that the objects are taken from. */
  readonly fromEtcdSnapshot?: string;
  /** Path of the keys that encrypt Secrets. Default: `secrets.key` in the data folder. */
  readonly secretsKeyFile?: string;
  readonly controllers: string;
  readonly nodes: number;
  readonly controllerMetrics?: number;
  readonly kubelet: Kubelet;
  /** Run time in milliseconds of Job containers on simulated nodes whose command sets none. */
  readonly jobRunFor?: number;
  /** Time in milliseconds for which history is kept. */
  readonly history?: number;
  /** False to serve no web console. Default: true. */
  readonly console?: boolean;
  /** Flags of authentication, authorization, audit, HTTP/2 and etcd, as `pintle apiserver` takes them. */
  readonly auth: Readonly<Partial<Record<Flag, string>>>;
}

const AUDIT_LOG = { maxBytes: 20 * 1024 * 1024, maxBackups: 3 };
const ANONYMOUS_LOG = { maxBytes: 20 * 1024 * 1024, maxBackups: 1 };

/** Runs the control plane until a signal stops it. */
export async function up(options: UpOptions): Promise<void> {
  const stop = Promise.race([stopSignal(), channelClosed()]);
  if (!options.memory) return await run(options, resolve(options.data), stop);
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  try {
    await run(options, folder, stop);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(options: UpOptions, folder: string, stop: Promise<unknown>): Promise<void> {
  const choices = readControllers(options.controllers);
  const log = createLog();
  const flags = flagsOf(options, folder);
  const hosts = [options.host];
  const credentials = await openCredentials(folder, { hosts, nowMs: realClock.now() });
  const { authority, server, frontProxy } = credentials;
  const clientCa = authority.certificate;
  const certificates = new LiveCertificates({ server, clientCa, proxyClient: frontProxy.client });
  const etcd = await etcdFor(options, flags);
  if (etcd !== undefined && options.history !== undefined) {
    throw new UsageError('Cannot use --history with --etcd-servers: etcd keeps history for --etcd-compaction-interval');
  }
  const disk = await diskOf(options, flags, folder, log);
  const link = options.console === false ? undefined : adminLink(options.host);
  const plane = await ControlPlane.open({
    ...(options.console !== false && { console: { links: link === undefined ? [] : [link] } }),
    ...(etcd ? { etcd } : compactionIntervalOf(flags)),
    ...(options.history !== undefined && { historyMs: options.history }),
    folder: options.memory ? undefined : join(folder, 'store'),
    ...(disk && { disk }),
    ...(options.secretsKeyFile && { secretsKeyFile: resolve(options.secretsKeyFile) }),
    host: options.host,
    port: options.port,
    certificates,
    http2: http2Of(flags),
    ...(await authOf(flags, certificates, authority.certificate)),
    ...(!options.memory && { audit: auditOf(flags, folder) }),
    requestHeaders: requestHeadersOf(frontProxy.authority),
    ...workersOf(flags, authority.certificate),
    controllers: {
      nodes: options.nodes,
      kubelet: options.kubelet,
      ...(options.jobRunFor !== undefined && { jobRunForMs: options.jobRunFor }),
      choices,
      authority,
      ...(options.controllerMetrics !== undefined && {
        metrics: { host: options.host, port: options.controllerMetrics },
      }),
    },
    log,
  });
  const running = new AbortController();
  let renewing: Promise<void> | undefined;
  try {
    const url = serverUrl(options.host, plane.port);
    const kubeconfig = resolve(options.kubeconfig ?? join(folder, 'kubeconfig'));
    const writeAdmin = ({ admin }: Credentials): Promise<void> =>
      writeKubeconfig(kubeconfig, { server: url, authority: authority.certificate, admin });
    await writeAdmin(credentials);
    renewing = renewWhileRunning({
      credentials,
      hosts,
      clock: realClock,
      signal: running.signal,
      apply: async (renewed) => {
        await keepCredentials(folder, renewed);
        await writeAdmin(renewed);
        certificates.replace({ server: renewed.server, proxyClient: renewed.frontProxy.client });
        log.info('Renewed certificates', { kubeconfig });
      },
      onFailure: (error) => log.error('Cannot renew certificates', { error: String(error) }),
    });
    const data =
      etcd === undefined ? folder : `etcd at ${etcd.endpoints.join(', ')}; credentials and logs in ${folder}`;
    const page =
      options.console === false ? {} : { page: `${url}${CONSOLE_PATH}${link ? `#link=${link.secret}` : ''}` };
    printSummary({ url, kubeconfig, nodes: options.nodes, ...page, ...(options.memory ? {} : { data }) });
    await stop;
    process.stdout.write('\n  Stopping. Press Ctrl-C again to stop at once.\n');
  } finally {
    running.abort();
    await renewing;
    await plane.close();
    await log.flush();
  }
}

async function etcdFor({ memory, fromEtcdSnapshot }: UpOptions, flags: ParsedFlags): Promise<EtcdOptions | undefined> {
  if (fromEtcdSnapshot === undefined) return memory ? refuseEncryption(flags) : await etcdOf(flags);
  if (flags.values['etcd-servers'] === undefined) return undefined;
  throw new UsageError('Cannot use --from-etcd-snapshot with --etcd-servers: restore the snapshot with etcdutl');
}

/** Returns the objects that a server in memory begins with. A data folder gets its store here. */
async function diskOf(
  { memory, fromEtcdSnapshot, secretsKeyFile }: UpOptions,
  flags: ParsedFlags,
  folder: string,
  log: Log,
): Promise<MemoryDisk | undefined> {
  if (fromEtcdSnapshot === undefined) return undefined;
  const { openEtcdSnapshot } = await import('./from-etcd-snapshot.ts');
  const keyFile = secretsKeyFile && { secretsKeyFile: resolve(secretsKeyFile) };
  return await openEtcdSnapshot(resolve(fromEtcdSnapshot), flags, {
    folder: memory ? undefined : folder,
    ...keyFile,
    log,
  });
}

/** Returns the headers that name the user to aggregated API servers, which read these settings from the cluster. */
function requestHeadersOf(authority: KeyPair): RequestHeaderOptions {
  return {
    authorities: authority.certificate,
    allowedNames: [FRONT_PROXY],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  };
}

function flagsOf({ auth, memory }: UpOptions, folder: string): ParsedFlags {
  const args = Object.entries(auth).map(([name, value]) => `--${name}=${value}`);
  return parseFlags(memory ? args : [...args, `--data=${folder}`]);
}

/**
 * Returns the audit log of users, and one of anonymous requests: however many there are, they never push out events of
 * users.
 */
function auditOf(flags: ParsedFlags, folder: string): AuditLog {
  const mode = auditModeOf(flags, 'batch');
  const isBlocking = mode !== 'batch';
  const isStrict = mode === 'blocking-strict';
  return {
    file: { ...AUDIT_LOG, path: join(folder, 'audit.log'), isBlocking },
    anonymousFile: { ...ANONYMOUS_LOG, path: join(folder, 'audit-anonymous.log'), isBlocking },
    ...(isStrict && { policy: STRICT_AUDIT_POLICY }),
    isStrict,
  };
}

interface Summary {
  readonly url: string;
  readonly kubeconfig: string;
  readonly nodes: number;
  /** Place of the objects. Default: memory. */
  readonly data?: string;
  /** Address of the console. */
  readonly page?: string;
}

function printSummary({ url, kubeconfig, nodes, data, page }: Summary): void {
  const readyMs = Math.round(performance.now());
  process.stdout.write(`
  Pintle is ready after ${readyMs} ms.

    address    ${url}
    data       ${data ?? 'in memory; lost when the server stops'}
    nodes      ${nodes === 0 ? 'none: pods stay Pending; add nodes with --nodes' : nodes}${page === undefined ? '' : `\n    console    ${page}`}

  In another terminal:

    export KUBECONFIG=${kubeconfig}
    kubectl get namespaces

  Press Ctrl-C to stop.

`);
}
