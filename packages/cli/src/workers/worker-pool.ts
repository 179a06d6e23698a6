import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpsListener, type OpenWatch, type OtherRequests } from '@pintle/apiserver';
import { afterPollPhase } from '@pintle/apiserver/http';
import { realClock, systemRandom } from '@pintle/async';
import { serveStore } from '@pintle/store/mirror';
import { keepRunning } from '../serve/keep-running.ts';
import type { CertificateSet } from '../serve/live-certificates.ts';
import type { Workers, WorkersContext } from '../serve/server-processes.ts';
import type { ToMain, WorkerSettings } from './messages.ts';
import { CONNECTION_HEADER, withForwardedPeer } from './peer-header.ts';
import { WorkerHandle } from './worker-handle.ts';

/** Settings of workers that the control plane does not know. */
export type PoolSettings = Pick<WorkerSettings, 'flags' | 'rootCa'>;

/** Starts worker processes, and starts those again that end. Resolves when they can be given connections, as they get ready. */
export async function openWorkerPool(
  processes: number,
  settings: PoolSettings,
  context: WorkersContext,
): Promise<Workers> {
  const folder = process.platform === 'win32' ? undefined : await mkdtemp(join(tmpdir(), 'pintle-'));
  if (folder !== undefined) await chmod(folder, 0o700);
  const pathOf = (name: string): string =>
    folder === undefined ? `\\\\.\\pipe\\pintle-${process.pid}-${systemRandom.uuid()}-${name}` : join(folder, name);
  const mainPath = pathOf('main');
  const listener = await HttpsListener.listenPrivately({
    path: mainPath,
    handle: async (request) => {
      const response = await context.handle(withForwardedPeer(request));
      const { connection } = response.headers;
      return connection === undefined
        ? response
        : { ...response, headers: { ...response.headers, [CONNECTION_HEADER]: connection } };
    },
    limits: { maxHeaderBytes: 256 * 1024 },
  });
  return new WorkerPool({ processes, settings, context, folder, mainPath, pathOf, listener });
}

interface WorkerPoolOptions {
  readonly processes: number;
  readonly settings: PoolSettings;
  readonly context: WorkersContext;
  readonly folder: string | undefined;
  readonly mainPath: string;
  readonly pathOf: (name: string) => string;
  /** Serves what workers pass on. */
  readonly listener: HttpsListener;
}

/** Run time after which the process that serves requests starts others, which takes the time of a few requests. */
const START_AFTER_MS = 100;

class WorkerPool implements Workers {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<WorkerHandle>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;
  /** Connections of this process. */
  #own = 0;
  #starts = 0;
  #graceMs = 0;
  #certificates: CertificateSet;
  #isShuttingDown = false;
  #isFollowed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#certificates = options.context.certificates;
    const slots = Array.from({ length: options.processes - 1 }, (_, slot) => this.#keep(slot + 1));
    this.#running = Promise.all(slots);
  }

  get metrics(): readonly WorkerHandle[] {
    return [...this.#workers].filter(({ isReady }) => isReady);
  }

  get requests(): OtherRequests {
    return {
      follow: (isFollowed) => {
        this.#isFollowed = isFollowed;
        for (const worker of this.#workers) worker.notify({ type: 'follow', isFollowed });
      },
      watches: () => this.metrics.flatMap(({ watches }, at) => watches.map((watch) => numbered(watch, at + 1))),
    };
  }

  /** The process with the fewest connections takes one; among several, a worker. */
  divert(socket: Socket): boolean {
    let chosen: WorkerHandle | undefined;
    for (const worker of this.#workers)
      if (worker.isReady && worker.connections < (chosen?.connections ?? this.#own + 1)) chosen = worker;
    if (chosen === undefined) {
      this.#own++;
      socket.once('close', () => this.#own--);
      return false;
    }
    chosen.give(socket);
    return true;
  }

  setCertificates(certificates: CertificateSet): void {
    this.#certificates = certificates;
    for (const worker of this.#workers) worker.notify({ type: 'certificates', certificates });
  }

  beginShutdown(): void {
    this.#isShuttingDown = true;
    for (const worker of this.#workers) worker.notify({ type: 'shut down' });
  }

  async close({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#graceMs = graceMs;
    this.#stopping.abort();
    await this.#running;
    await this.#options.listener.close({ graceMs: 0 });
    const { folder } = this.#options;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #keep(slot: number): Promise<void> {
    const { signal } = this.#stopping;
    const { log } = this.#options.context;
    await realClock.sleep(START_AFTER_MS, { signal }).catch(() => undefined);
    await keepRunning(async () => ({ run: (options) => this.#run(options.signal) }), {
      clock: realClock,
      random: systemRandom,
      signal,
      onFailure: (error, waitMs) =>
        log.warn('Worker ended; starting it again', { worker: slot, problem: (error as Error).message, waitMs }),
    });
  }

  /** Runs a worker until `signal` aborts. Rejects when it ends before. */
  async #run(signal: AbortSignal): Promise<void> {
    const { settings, context, folder, mainPath, pathOf } = this.#options;
    const worker = new WorkerHandle({ onMessage: (message, from) => this.#hear(message, from) });
    serveStore(context.store, worker.storeChannel, { whenOthersWrite: afterPollPhase });
    worker.notify({
      type: 'start',
      settings: {
        ...context.settings,
        ...settings,
        certificates: this.#certificates,
        mainPath,
        ownPath: pathOf(`worker-${++this.#starts}`),
        folder,
      },
    });
    this.#workers.add(worker);
    const stop = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const problem = await Promise.race([worker.ended, stop]);
    if (problem === undefined) await worker.stop(this.#graceMs);
    this.#workers.delete(worker);
    if (problem !== undefined && !signal.aborted) throw new Error(problem);
  }

  #hear(message: ToMain, worker: WorkerHandle): void {
    switch (message.type) {
      case 'ready':
        // Certificates may have changed since it was started.
        worker.notify({ type: 'certificates', certificates: this.#certificates });
        if (this.#isFollowed) worker.notify({ type: 'follow', isFollowed: true });
        if (this.#isShuttingDown) worker.notify({ type: 'shut down' });
        worker.isReady = true;
        return;
      case 'closed':
        worker.connections -= message.connections;
        return;
      case 'requests':
        this.#options.context.onRequests(message.records);
        return;
      case 'watches':
        worker.watches = message.watches;
        return;
      case 'audit': {
        const isFailing = this.#options.context.audit(message.events);
        const { audit } = this.#options.context.settings;
        if (audit?.isBlocking) worker.notify({ type: 'audited', through: message.through, isFailing });
        return;
      }
      case 'token keys':
        void this.#options.context.tokenKeys().then(
          (keys) => worker.notify({ type: 'token keys', keys }),
          (error: Error) => worker.notify({ type: 'token keys', keys: undefined, problem: error.message }),
        );
        return;
      case 'store':
      case 'metrics':
    }
  }
}

/** Each process counts its watches from one. */
function numbered(watch: OpenWatch, worker: number): OpenWatch {
  return { ...watch, id: watch.id + worker * WATCHES_OF_A_PROCESS };
}

const WATCHES_OF_A_PROCESS = 2 ** 40;
