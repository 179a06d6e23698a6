import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { OpenWatch } from '@pintle/apiserver';
import { type Deferred, deferred, realClock } from '@pintle/async';
import type { StoreChannel } from '@pintle/store/mirror';
import type { ToMain, ToWorker } from './messages.ts';
import { sendMessage } from './send-message.ts';
import { WORKER_COMMAND } from './worker-command.ts';

interface WorkerHandleOptions {
  /** Called for all messages but those of the store and of metrics. */
  readonly onMessage: (message: ToMain, worker: WorkerHandle) => void;
}

/** Time in which a worker answers for metrics, and longest delay of its end beyond the grace. */
const ANSWER_MS = 5_000;

/** A worker process, as the main process sees it. */
export class WorkerHandle {
  readonly #child: ChildProcess;
  readonly #texts = new Map<number, Deferred<string>>();
  /** Connections that wait until earlier messages have arrived. */
  readonly #giving = new Set<Socket>();
  #lastId = 0;
  #onStore: ((message: unknown) => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Connections that the worker has, or is being given. */
  connections = 0;
  isReady = false;
  /** Watches by the last report. */
  watches: readonly OpenWatch[] = [];
  /** Resolves with what ended the process. */
  readonly ended: Promise<string>;

  constructor({ onMessage }: WorkerHandleOptions) {
    const script = process.argv[1] === process.execPath ? [] : [process.argv[1]!];
    this.#child = spawn(process.execPath, [...process.execArgv, ...script, WORKER_COMMAND], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('message', (message: ToMain) => {
      if (message.type === 'store') this.#onStore?.(message.message);
      else if (message.type === 'metrics') this.#texts.get(message.id)?.resolve(message.text);
      else onMessage(message, this);
    });
    this.#child.on('error', () => {});
    this.ended = this.#end();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves once the message has left; rejects when the worker is gone. */
  send(message: ToWorker, socket?: Socket): Promise<void> {
    return sendMessage(this.#child, message, { to: 'the worker', socket });
  }

  /** As `send`, for messages that a worker that is gone needs no more. */
  notify(message: ToWorker): void {
    this.send(message).catch(() => undefined);
  }

  get storeChannel(): StoreChannel {
    return {
      send: (message) => this.send({ type: 'store', message }),
      receive: (onMessage, onEnd) => {
        this.#onStore = onMessage;
        this.#onEnd = onEnd;
      },
    };
  }

  /** Gives a connection away. A worker that ends meanwhile takes it along. */
  give(socket: Socket): void {
    this.connections++;
    this.#giving.add(socket);
    socket.on('error', () => socket.destroy());
    this.send({ type: 'connection' }, socket).then(
      () => this.#giving.delete(socket),
      () => socket.destroy(),
    );
  }

  /** Returns the text of a source of metrics; empty when the worker does not answer. */
  async textOf(source: string): Promise<string> {
    const id = ++this.#lastId;
    const text = deferred<string>();
    this.#texts.set(id, text);
    const timer = realClock.setTimer(ANSWER_MS, () => text.resolve(''));
    this.send({ type: 'metrics', id, source }).catch(() => text.resolve(''));
    try {
      return await text.promise;
    } finally {
      timer.cancel();
      this.#texts.delete(id);
    }
  }

  /** Resolves once the process has ended, at the latest a while after the grace. */
  async stop(graceMs: number): Promise<void> {
    this.isReady = false;
    this.notify({ type: 'stop', graceMs });
    const timer = realClock.setTimer(graceMs + ANSWER_MS, () => this.#child.kill('SIGKILL'));
    await this.ended;
    timer.cancel();
  }

  async #end(): Promise<string> {
    const problem = await new Promise<string>((resolve) => {
      this.#child.once('exit', (code, signal) =>
        resolve(signal === null ? `it exited with ${code}` : `it got ${signal}`),
      );
      this.#child.once('error', ({ message }) => resolve(message));
    });
    this.isReady = false;
    // Its last messages may not have been read.
    if (this.#child.connected) await once(this.#child, 'disconnect');
    for (const text of this.#texts.values()) text.resolve('');
    for (const socket of this.#giving) socket.destroy();
    this.#onEnd?.();
    return problem;
  }
}
