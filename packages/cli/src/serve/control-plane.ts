import { hostname } from 'node:os';
import { join } from 'node:path';
import type {
  AnonymousAccess,
  ApiRequest,
  ApiResponse,
  AuditOptions,
  AuditPolicy,
  Authenticator,
  ClosableSink,
  FileSinkOptions,
  FlowOptions,
  Http2Choice,
  HttpListener,
  PathHandler,
  RequestHeaderOptions,
  TlsSettings,
  UserInfo,
} from '@pintle/apiserver';
import { FileSink, HttpsListener, RequestLog, teeSink } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import type { AuthorizationMode, NodeConnector, ServiceAccountOptions } from '@pintle/kube-apiserver';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { table } from '@pintle/machinery/table';
import type { KeyPair } from '@pintle/pki';
import { type MemoryDisk, openMemoryStore } from '@pintle/store';
import { UsageError } from '../usage-error.ts';
import type { WebhookLog } from './audit-webhook.ts';
import { type ConsoleSettings, serveConsole } from './console.ts';
import type { ControllersOptions } from './controllers.ts';
import { DeferredNodes } from './deferred-nodes.ts';
import { ErrorLog } from './error-log.ts';
import { keepRunning } from './keep-running.ts';
import type { CertificateSet, LiveCertificates } from './live-certificates.ts';
import type { Log } from './log.ts';
import { reachableAddress } from './reachable-address.ts';
import { isReportsPath, Reports } from './reports.ts';
import type { SealedStore } from './sealed-store.ts';
import { openSealedStore, SECRETS_KEY_FILE } from './sealed-store.ts';
import type { BackupSource } from './serve-backup.ts';
import type { EtcdOptions } from './shared-store.ts';

export interface ControlPlaneOptions {
  /** Folder of the data files; `undefined` keeps objects in memory. */
  readonly folder: string | undefined;
  /** Objects that memory begins with. */
  readonly disk?: MemoryDisk;
  /** Etcd that holds the objects instead, shared with other servers. */
  readonly etcd?: EtcdOptions;
  /** Interval of compactions of a folder or of memory; 0: none. Default: 5 minutes. */
  readonly compactionIntervalMs?: number;
  /** Time for which their history is kept at least. Default: one interval. */
  readonly historyMs?: number;
  /** Path of the keys that encrypt Secrets in the folder, or in backups of an etcd. Default: `secrets.key` beside the folder. */
  readonly secretsKeyFile?: string;
  readonly host: string;
  readonly port: number;
  /** IP address at which others reach this server. Default: that of this machine, when it has one. */
  readonly advertiseAddress?: string;
  /** Range of service IPs. */
  readonly serviceCidr?: string;
  /** New connections use the current certificates. */
  readonly certificates: LiveCertificates;
  readonly tls?: TlsSettings;
  /** Default: `fast`. */
  readonly http2?: Http2Choice;
  readonly authenticator: Authenticator;
  readonly authorization?: readonly AuthorizationMode[];
  readonly anonymous?: AnonymousAccess;
  readonly serviceAccounts?: ServiceAccountOptions;
  readonly requestHeaders?: RequestHeaderOptions;
  readonly flow?: FlowOptions;
  readonly isShardingEnabled?: boolean;
  readonly audit?: AuditLog;
  /** Default admission plugins to leave out. */
  readonly disabledAdmission?: readonly string[];
  /** Further admission plugins to run. */
  readonly enabledAdmission?: readonly string[];
  /** Default: no console. */
  readonly console?: ConsoleSettings;
  /** Default: no controllers. */
  readonly controllers?: ControllersOptions;
  readonly log: Log;
}

export interface AuditLog {
  /** File for the events. */
  readonly file?: AuditFile;
  /** File for the events of requests without a valid credential, which would otherwise push out those of users. */
  readonly anonymousFile?: AuditFile;
  /** Refuses requests whose events cannot be written. */
  readonly isStrict?: boolean;
  /** Webhook that receives the events. */
  readonly webhook?: WebhookLog;
  readonly policy?: AuditPolicy;
}

export interface AuditFile extends Pick<FileSinkOptions, 'maxBytes' | 'maxBackups' | 'maxAgeMs' | 'isBlocking'> {
  readonly path: string;
}

/** Only those may get it who may list every object too. */
export const BACKUP_PATH = '/pintle/backup';
const DRAIN_MS = 5_000;
const CONTROLLERS_AFTER_MS = 100;

/** A store, an API server on it and a listener, opened together and closed in reverse order. */
export class ControlPlane {
  readonly #server: KubeApiServer;
  readonly #listener: HttpListener;
  /** Functions that close what was opened, in the order of opening. */
  readonly #opened: (() => Promise<void>)[];

  private constructor(server: KubeApiServer, listener: HttpListener, opened: (() => Promise<void>)[]) {
    this.#server = server;
    this.#listener = listener;
    this.#opened = opened;
  }

  /** Throws UsageError when the folder or the port is in use. */
  static async open(options: ControlPlaneOptions): Promise<ControlPlane> {
    const opened: (() => Promise<void>)[] = [];
    try {
      const { store, writeKeyCheck, backupSeal } = await openStore(options);
      opened.push(() => store.close());
      const audit = await openAudit(options);
      opened.push(async () => await audit?.close());
      const connections = new DeferredNodes();
      const requests = options.console && new RequestLog();
      const reports = options.console && new Reports(options.log);
      const server = await openServer(options, { store, backupSeal }, audit, connections, requests, reports);
      opened.push(() => server.close());
      await writeKeyCheck();
      const listener = await listen(options, server, requests, reports);
      const following = options.certificates.subscribe((current) => listener.setCertificates(listened(current)));
      opened.push(async () => {
        following[Symbol.dispose]();
        await listener.close({ graceMs: DRAIN_MS });
      });
      // Ends watches, which would keep the listener open. The controllers have closed theirs by then.
      opened.push(async () => server.beginShutdown());
      const stop = new AbortController();
      const controllers = runControllers(options, server, connections, stop.signal);
      opened.push(async () => {
        stop.abort();
        await controllers;
      });
      return new ControlPlane(server, listener, opened);
    } catch (error) {
      await closeAll(opened);
      throw error;
    }
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Makes the server report that it is not ready; it still serves requests. */
  beginShutdown(): void {
    this.#server.beginShutdown();
  }

  /** Ends watches, lets requests in flight finish, and closes everything. */
  async close(): Promise<void> {
    await closeAll(this.#opened);
  }
}

/** Closes in reverse order of opening. */
async function closeAll(opened: (() => Promise<void>)[]): Promise<void> {
  for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
}

/** Loads the controllers after a delay, in which the first requests are served, and runs them until `signal` aborts. */
async function runControllers(
  { controllers, log, etcd }: ControlPlaneOptions,
  server: KubeApiServer,
  connections: DeferredNodes,
  signal: AbortSignal,
): Promise<void> {
  if (controllers === undefined || (controllers.choices.length === 0 && controllers.nodes === 0)) return;
  await realClock.sleep(CONTROLLERS_AFTER_MS, { signal }).catch(() => undefined);
  await keepRunning(
    async () => {
      const { loadControllers } = await import('./controllers.ts');
      return await loadControllers(server, controllers, { log, connections, isShared: etcd !== undefined });
    },
    {
      clock: realClock,
      random: systemRandom,
      signal,
      onFailure: (error, waitMs) => log.error('Controllers failed; restarting', { error: String(error), waitMs }),
    },
  );
}

async function openStore({ folder, disk, secretsKeyFile, etcd, log }: ControlPlaneOptions): Promise<SealedStore> {
  if (etcd !== undefined) {
    const { openSharedStore } = await import('./shared-store.ts');
    return await openSharedStore({ etcd, secretsKeyFile, log });
  }
  if (folder === undefined)
    return {
      store: await openMemoryStore({ clock: realClock, ...(disk && { disk }) }),
      writeKeyCheck: async () => {},
      backupSeal: {},
    };
  return await openSealedStore(folder, secretsKeyFile ?? join(folder, '..', SECRETS_KEY_FILE));
}

interface OpenAudit {
  readonly options: AuditOptions;
  readonly close: () => Promise<void>;
}

async function openAudit({ audit, log }: ControlPlaneOptions): Promise<OpenAudit | undefined> {
  if (audit === undefined) return undefined;
  const sinks: ClosableSink[] = [];
  const { file, anonymousFile, webhook, policy, isStrict } = audit;
  if (file !== undefined) sinks.push(await openAuditFile(file, log));
  if (webhook !== undefined) {
    const { openWebhookSink } = await import('./audit-webhook.ts');
    sinks.push(await openWebhookSink(webhook, log));
  }
  const sink = teeSink(sinks);
  const anonymousSink = anonymousFile && (await openAuditFile(anonymousFile, log));
  return {
    options: {
      sink,
      ...(anonymousSink && { anonymousSink }),
      ...(policy && { policy }),
      ...(isStrict && { isStrict }),
    },
    close: async () => void (await Promise.all([sink.close(), anonymousSink?.close()])),
  };
}

async function openAuditFile({ path, ...limits }: AuditFile, log: Log): Promise<FileSink> {
  try {
    return await FileSink.open(path, {
      ...limits,
      onError: (error) => log.error('Cannot write audit log', { path, error: String(error) }),
      onRemoved: (removed) => log.warn('Removed old audit log', { path: removed }),
    });
  } catch (error) {
    throw new UsageError(`Cannot write the audit log ${path}: ${(error as Error).message}`);
  }
}

async function openServer(
  options: ControlPlaneOptions,
  { store, backupSeal }: Pick<SealedStore, 'store' | 'backupSeal'>,
  audit: OpenAudit | undefined,
  nodes: NodeConnector,
  requestLog: RequestLog | undefined,
  reports: Reports | undefined,
): Promise<KubeApiServer> {
  const { authenticator, authorization, anonymous, serviceAccounts, requestHeaders, certificates, port, flow, log } =
    options;
  const { isShardingEnabled } = options;
  const { clientCa } = certificates.current;
  const { proxyCertificate } = certificates;
  const errors = new ErrorLog(log, realClock);
  let opened: KubeApiServer | undefined;
  const backup: PathHandler = ({ request, user }, path) =>
    path === BACKUP_PATH && opened !== undefined
      ? respondWithBackup({ store, seal: backupSeal, server: opened }, request, user)
      : undefined;
  opened = await KubeApiServer.open({
    store,
    clock: realClock,
    random: systemRandom,
    nodes,
    authenticator,
    ...(authorization && { authorization }),
    ...(anonymous && { anonymous }),
    ...(serviceAccounts && { serviceAccounts }),
    ...(requestHeaders && { requestHeaders }),
    ...(proxyCertificate && { proxyCertificate }),
    bootstrap: { host: hostname(), clientCa, ...(port > 0 && { port }), ...addressesOf(options) },
    ...(flow && { flow }),
    ...(options.compactionIntervalMs !== undefined && { compactionIntervalMs: options.compactionIntervalMs }),
    ...(options.historyMs !== undefined && { historyMs: options.historyMs }),
    ...(isShardingEnabled !== undefined && { isShardingEnabled }),
    ...(options.disabledAdmission && { disabledAdmission: options.disabledAdmission }),
    ...(options.enabledAdmission && { enabledAdmission: options.enabledAdmission }),
    ...(audit && { audit: audit.options }),
    ...(requestLog && { requestLog }),
    paths: [backup, ...(reports === undefined ? [] : [reports.path])],
    onError: (error, { auditId, path }) => errors.write('Request failed', error, { auditId, path }),
  });
  return opened;
}

/** Backups take code that most servers never run. */
async function respondWithBackup(source: BackupSource, request: ApiRequest, user: UserInfo): Promise<ApiResponse> {
  const { serveBackup } = await import('./serve-backup.ts');
  const { method, signal } = request;
  return await serveBackup(source, { method, signal, user });
}

function addressesOf({ host, serviceCidr, advertiseAddress = reachableAddress(host) }: ControlPlaneOptions) {
  return { ...(serviceCidr && { serviceCidr }), ...(advertiseAddress && { advertiseAddress }) };
}

function listened({ server, clientCa }: CertificateSet): KeyPair & { readonly clientCa: string } {
  return { ...server, clientCa };
}

function isConsolePath(path: string): boolean {
  return (
    !isReportsPath(path) &&
    path.startsWith('/console') &&
    (path.length === '/console'.length || path['/console'.length] === '/')
  );
}

const UNAVAILABLE: Readonly<Record<string, string>> = table({
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'permission denied',
  ENOTFOUND: 'the host name cannot be resolved',
});

async function listen(
  options: ControlPlaneOptions,
  api: KubeApiServer,
  requests: RequestLog | undefined,
  reports: Reports | undefined,
): Promise<HttpListener> {
  const { host, port, certificates, tls, http2 = 'fast', console, log } = options;
  const answer = (request: ApiRequest) => api.answer(request);
  const answerConsole =
    console && requests && reports && serveConsole(answer, { ...console, certificates, host, log, requests, reports });
  const handle = (request: ApiRequest) =>
    answerConsole !== undefined && isConsolePath(request.path) ? answerConsole(request) : api.answer(request);
  const served = { handle, host, port, http2, ...listened(certificates.current) };
  try {
    return await HttpsListener.listen({ ...served, ...(tls && { tls }) });
  } catch (error) {
    const why = UNAVAILABLE[(error as NodeJS.ErrnoException).code ?? ''];
    if (why === undefined) throw error;
    throw new UsageError(`Cannot listen on ${host}:${port}: ${why}. Choose another port or address.`);
  }
}
