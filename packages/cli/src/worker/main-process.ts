import type { Socket } from 'node:net';
import { deferred } from '@pintle/async';
import type { TokenKeyFiles } from '@pintle/kube-apiserver';
import type { StoreChannel } from '@pintle/store/mirror';
import type { ToMain, ToWorker } from '../workers/messages.ts';
import { sendMessage } from '../workers/send-message.ts';

type OnMessage = (message: ToWorker, socket: Socket | undefined) => void;

/** The main process, as a worker sees it: the other end of the IPC channel. */
export class MainProcess {
  #onStore: ((message: unknown) => void) | undefined;
  #onStoreEnd: (() => void) | undefined;
  #keys: ReturnType<typeof deferred<TokenKeyFiles>> | undefined;

  /** `onEnd` is called when the main process is gone. */
  constructor(onMessage: OnMessage, onEnd: () => void) {
    process.on('message', (message: ToWorker, socket: Socket | undefined) => {
      if (message.type === 'store') this.#onStore?.(message.message);
      else if (message.type === 'token keys') this.#takeKeys(message);
      else onMessage(message, socket);
    });
    process.once('disconnect', () => {
      this.#onStoreEnd?.();
      onEnd();
    });
  }

  /** Resolves once the message has left. Rejects when the main process is gone. */
  send(message: ToMain): Promise<void> {
    return sendMessage(process, message, { to: 'the main process' });
  }

  /** As `send`, for messages that do not matter any more once the main process is gone. */
  notify(message: ToMain): void {
    this.send(message).catch(() => undefined);
  }

  get storeChannel(): StoreChannel {
    return {
      send: (message) => this.send({ type: 'store', message }),
      receive: (onMessage, onEnd) => {
        this.#onStore = onMessage;
        this.#onStoreEnd = onEnd;
      },
    };
  }

  /** Returns the keys that sign and verify tokens. */
  async tokenKeys(): Promise<TokenKeyFiles> {
    if (this.#keys === undefined) {
      this.#keys = deferred();
      this.notify({ type: 'token keys' });
    }
    return await this.#keys.promise;
  }

  #takeKeys({ keys, problem }: ToWorker & { type: 'token keys' }): void {
    const asked = this.#keys;
    if (keys === undefined) {
      this.#keys = undefined;
      asked?.reject(new Error(problem));
    } else asked?.resolve(keys);
  }
}
