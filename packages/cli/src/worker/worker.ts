import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type ApiRequest, type AuditOptions, HttpsListener, RequestLog } from '@pintle/apiserver';
import { oncePerTurn, realClock, systemRandom } from '@pintle/async';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { openMirrorStore } from '@pintle/store/mirror';
import { authOf } from '../apiserver/auth-flags.ts';
import type { ParsedFlags } from '../apiserver/flags.ts';
import { ErrorLog } from '../serve/error-log.ts';
import { type CertificateSet, LiveCertificates } from '../serve/live-certificates.ts';
import { createLog } from '../serve/log.ts';
import type { AuditSettings } from '../serve/server-processes.ts';
import type { ToWorker, WorkerSettings } from '../workers/messages.ts';
import { AuditSinks } from './audit-sinks.ts';
import { MainProcess } from './main-process.ts';
import { isForMain, PassedRequests } from './pass-on.ts';
import { RequestReports } from './request-reports.ts';

/** Serves connections that the main process gives this one, until it says stop or is gone. */
export function runWorker(): void {
  // The main process gets these too, and stops its workers in order.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let folder: string | undefined;
  let worker: Promise<Worker> | undefined;
  const main = new MainProcess(
    (message, socket) => {
      if (message.type !== 'start') {
        void worker?.then((started) => started.hear(message, socket));
        return;
      }
      folder = message.settings.folder;
      worker = Worker.start(message.settings, main);
      worker.catch((error: unknown) => {
        process.stderr.write(`pintle: Cannot start a worker: ${String(error)}\n`);
        process.exit(1);
      });
    },
    () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    },
  );
}

class Worker {
  readonly #main: MainProcess;
  readonly #server: KubeApiServer;
  readonly #listener: HttpsListener;
  readonly #certificates: LiveCertificates;
  readonly #sinks: AuditSinks;
  readonly #reports: RequestReports | undefined;
  readonly #close: () => Promise<void>;
  readonly #reportClosed = oncePerTurn(() => {
    this.#main.notify({ type: 'closed', connections: this.#closed });
    this.#closed = 0;
  });
  /** Connections that have ended since the main process was notified. */
  #closed = 0;

  private constructor(parts: {
    readonly main: MainProcess;
    readonly server: KubeApiServer;
    readonly listener: HttpsListener;
    readonly certificates: LiveCertificates;
    readonly sinks: AuditSinks;
    readonly reports: RequestReports | undefined;
    readonly close: () => Promise<void>;
  }) {
    this.#main = parts.main;
    this.#server = parts.server;
    this.#listener = parts.listener;
    this.#certificates = parts.certificates;
    this.#sinks = parts.sinks;
    this.#reports = parts.reports;
    this.#close = parts.close;
  }

  static async start(settings: WorkerSettings, main: MainProcess): Promise<Worker> {
    const { divided, mainPath, ownPath, tls, http2, requestHeaders } = settings;
    const log = createLog();
    const errors = new ErrorLog(log, realClock);
    const certificates = new LiveCertificates(settings.certificates);
    const { proxyCertificate } = certificates;
    const auth = await authOf(settings.flags as ParsedFlags, certificates, settings.rootCa);
    const sinks = new AuditSinks({
      send: (events, through) => main.send({ type: 'audit', events, through }),
      isBlocking: settings.audit?.isBlocking ?? false,
    });
    const requestLog = settings.hasRequestLog ? new RequestLog() : undefined;
    const store = await openMirrorStore(main.storeChannel);
    const server = await KubeApiServer.open({
      store,
      clock: realClock,
      random: systemRandom,
      ...auth,
      ...(requestHeaders && { requestHeaders }),
      serviceAccounts: { ...auth.serviceAccounts, keys: () => main.tokenKeys() },
      ...(proxyCertificate && { proxyCertificate }),
      flow: divided.flow,
      responseMemory: divided.responseMemory,
      hasUpkeep: false,
      ...(requestLog && { requestLog }),
      isShardingEnabled: settings.isShardingEnabled,
      ...(settings.disabledAdmission && { disabledAdmission: settings.disabledAdmission }),
      ...(settings.enabledAdmission && { enabledAdmission: settings.enabledAdmission }),
      ...(settings.audit && { audit: auditOf(settings.audit, sinks) }),
      onError: (error, { auditId, path }) => errors.write('Request failed', error, { auditId, path }),
    });
    const passed = new PassedRequests(mainPath);
    const listener = await HttpsListener.listen({
      handle: (request: ApiRequest) => (isForMain(request) ? passed.passOn(request) : server.answer(request)),
      path: ownPath,
      http2,
      limits: divided.limits,
      ...listened(certificates.current),
      ...(tls && { tls }),
    });
    certificates.subscribe((current) => listener.setCertificates(listened(current)));
    main.notify({ type: 'ready' });
    const close = async (): Promise<void> => {
      await server.close();
      await sinks.flushed();
      await store.close();
      await log.flush();
    };
    const reports = requestLog && new RequestReports(requestLog, (message) => main.notify(message));
    return new Worker({ main, server, listener, certificates, sinks, reports, close });
  }

  hear(message: ToWorker, socket: Socket | undefined): void {
    switch (message.type) {
      case 'connection':
        this.#accept(socket);
        return;
      case 'certificates':
        this.#certificates.replace(message.certificates);
        return;
      case 'audited':
        this.#sinks.audited(message.through, message.isFailing);
        return;
      case 'metrics':
        void this.#server
          .metricsOf(message.source)
          .catch(() => '')
          .then((text) => this.#main.notify({ type: 'metrics', id: message.id, text }));
        return;
      case 'follow':
        this.#reports?.follow(message.isFollowed);
        return;
      case 'shut down':
        this.#server.beginShutdown();
        return;
      case 'stop':
        void this.#stop(message.graceMs);
        return;
      case 'start':
      case 'store':
      case 'token keys':
    }
  }

  /** The client of a connection without a socket has left meanwhile. */
  #accept(socket: Socket | undefined): void {
    const ended = (): void => {
      this.#closed++;
      this.#reportClosed();
    };
    if (socket === undefined) {
      ended();
      return;
    }
    socket.once('close', ended);
    this.#listener.accept(socket);
  }

  async #stop(graceMs: number): Promise<void> {
    try {
      this.#server.beginShutdown();
      await this.#listener.close({ graceMs });
      await this.#close();
    } finally {
      process.exit(0);
    }
  }
}

function auditOf({ policy, hasAnonymousSink, isStrict }: AuditSettings, sinks: AuditSinks): AuditOptions {
  return {
    sink: sinks.users,
    ...(hasAnonymousSink && { anonymousSink: sinks.anonymous }),
    ...(policy && { policy }),
    isStrict,
  };
}

function listened({ server, clientCa }: CertificateSet) {
  return { ...server, clientCa };
}
