import type { Socket } from 'node:net';
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
  DividedLimits,
  FileSinkOptions,
  FlowOptions,
  Http2Choice,
  HttpListener,
  PathHandler,
  RequestHeaderOptions,
  TlsSettings,
  UserInfo,
} from '@pintle/apiserver';
import { divideLimits, FileSink, HttpsListener, RequestLog, teeSink } from '@pintle/apiserver';
import { type Eventual, realClock, systemRandom } from '@pintle/async';
import type { AuthorizationMode, NodeConnector, ServiceAccountOptions, TokenKeyFiles } from '@pintle/kube-apiserver';
import { generateTokenKey, KubeApiServer } from '@pintle/kube-apiserver';
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
import type { EncodedEvent, ServerSettings, Workers, WorkersOptions } from './server-processes.ts';
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
  /** Default: this process serves alone. */
  readonly workers?: WorkersOptions;
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
  readonly #others: OtherProcesses;
  /** Functions that close what was opened, in the order of opening. */
  readonly #opened: (() => Promise<void>)[];

  private constructor(
    server: KubeApiServer,
    listener: HttpListener,
    others: OtherProcesses,
    opened: (() => Promise<void>)[],
  ) {
    this.#server = server;
    this.#listener = listener;
    this.#others = others;
    this.#opened = opened;
  }

  /** Throws UsageError when the folder or the port is in use. */
  static async open(given: ControlPlaneOptions): Promise<ControlPlane> {
    const opened: (() => Promise<void>)[] = [];
    try {
      const options = given.workers === undefined ? given : await withTokenKeys(given);
      const others = new OtherProcesses();
      const divided = options.workers && divideLimits(options.workers.processes, options.flow);
      const { store, writeKeyCheck, backupSeal } = await openStore(options);
      opened.push(() => store.close());
      const audit = await openAudit(options);
      opened.push(async () => await audit?.close());
      const connections = new DeferredNodes();
      const requests = options.console && new RequestLog();
      const reports = options.console && new Reports(options.log);
      const shown = { requests, reports };
      const server = await openServer(options, { store, backupSeal }, audit, connections, shown, others, divided);
      opened.push(() => server.close());
      await writeKeyCheck();
      const handle = handlerOf(options, server, shown);
      const listener = await listen(options, handle, divided && { divided, others });
      const following = options.certificates.subscribe((current) => {
        listener.setCertificates(listened(current));
        others.workers?.setCertificates(current);
      });
      opened.push(async () => {
        following[Symbol.dispose]();
        await Promise.all([listener.close({ graceMs: DRAIN_MS }), others.workers?.close({ graceMs: DRAIN_MS })]);
      });
      if (options.workers !== undefined && divided !== undefined) {
        others.workers = await options.workers.open({
          store,
          handle,
          audit: (events) => audit?.writeEncoded(events) ?? false,
          onRequests: (records) => requests?.receive(records),
          tokenKeys: async () => await options.serviceAccounts!.keys!(),
          certificates: options.certificates.current,
          settings: settingsOf(options, divided, audit),
          log: options.log,
        });
        requests?.include(others.workers.requests);
      }
      // Ends watches, which would keep the listener open. The controllers have closed theirs by then.
      opened.push(async () => {
        others.workers?.beginShutdown();
        server.beginShutdown();
      });
      const stop = new AbortController();
      const controllers = runControllers(options, server, connections, stop.signal);
      opened.push(async () => {
        stop.abort();
        await controllers;
      });
      return new ControlPlane(server, listener, others, opened);
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
    this.#others.workers?.beginShutdown();
    this.#server.beginShutdown();
  }

  /** Ends watches, lets requests in flight finish, and closes everything. */
  async close(): Promise<void> {
    await closeAll(this.#opened);
  }
}

/** The processes beside this one, once they are started. */
class OtherProcesses {
  workers: Workers | undefined;
}

/** Returns options whose keys for tokens are the same whenever they are read: for this process and all workers. */
async function withTokenKeys(options: ControlPlaneOptions): Promise<ControlPlaneOptions> {
  const { serviceAccounts } = options;
  let made: Promise<TokenKeyFiles> | undefined;
  const read = serviceAccounts?.keys ?? (async () => ({ signing: await generateTokenKey() }));
  const keys = async (): Promise<TokenKeyFiles> => {
    made ??= Promise.resolve(read());
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
  return { ...options, serviceAccounts: { ...serviceAccounts, keys } };
}

function settingsOf(
  options: ControlPlaneOptions,
  divided: DividedLimits,
  audit: OpenAudit | undefined,
): ServerSettings {
  const { requestHeaders, tls, http2 = 'fast', isShardingEnabled, enabledAdmission, disabledAdmission } = options;
  const { file, anonymousFile } = options.audit ?? {};
  return {
    requestHeaders,
    tls,
    http2,
    divided,
    isShardingEnabled,
    enabledAdmission,
    disabledAdmission,
    hasRequestLog: options.console !== undefined,
    audit: audit && {
      policy: audit.options.policy,
      hasAnonymousSink: audit.options.anonymousSink !== undefined,
      isBlocking: file?.isBlocking === true || anonymousFile?.isBlocking === true,
      isStrict: audit.options.isStrict ?? false,
    },
  };
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
  /** Writes events of other processes, and returns whether the last could not be written. */
  readonly writeEncoded: (events: readonly EncodedEvent[]) => boolean;
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
    writeEncoded: (events) => {
      for (const [json, isAnonymous] of events) (isAnonymous ? (anonymousSink ?? sink) : sink).writeEncoded(json);
      return sink.isFailing ?? false;
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
  { requests: requestLog, reports }: Shown,
  others: OtherProcesses,
  divided: DividedLimits | undefined,
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
    ...(divided && {
      flow: divided.flow,
      responseMemory: divided.responseMemory,
      otherMetrics: () => others.workers?.metrics ?? [],
    }),
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

type Handle = (request: ApiRequest) => Eventual<ApiResponse>;

/** Sources of the console beside the API; absent without a console. */
interface Shown {
  readonly requests: RequestLog | undefined;
  readonly reports: Reports | undefined;
}

/** Serves the console beside the API. */
function handlerOf(options: ControlPlaneOptions, api: KubeApiServer, { requests, reports }: Shown): Handle {
  const { host, certificates, console, log } = options;
  const answer: Handle = (request) => api.answer(request);
  const answerConsole =
    console && requests && reports && serveConsole(answer, { ...console, certificates, host, log, requests, reports });
  return (request) =>
    answerConsole !== undefined && isConsolePath(request.path) ? answerConsole(request) : api.answer(request);
}

async function listen(
  { host, port, certificates, tls, http2 = 'fast' }: ControlPlaneOptions,
  handle: Handle,
  shared: { readonly divided: DividedLimits; readonly others: OtherProcesses } | undefined,
): Promise<HttpListener> {
  const served = { handle, host, port, http2, ...listened(certificates.current) };
  const divert = (socket: Socket): boolean => shared?.others.workers?.divert(socket) ?? false;
  const limits = shared?.divided.limits;
  try {
    return await HttpsListener.listen({ ...served, ...(tls && { tls }), ...(limits && { limits, divert }) });
  } catch (error) {
    const why = UNAVAILABLE[(error as NodeJS.ErrnoException).code ?? ''];
    if (why === undefined) throw error;
    throw new UsageError(`Cannot listen on ${host}:${port}: ${why}. Choose another port or address.`);
  }
}
