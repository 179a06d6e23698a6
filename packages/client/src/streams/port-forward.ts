import { Duplex } from 'node:stream';
import { Pod } from '@pintle/kinds/core/v1';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { ObjectRef } from '../rest/resource-path.ts';
import { resourcePath } from '../rest/resource-path.ts';
import type { MessageSocket } from '../transport/message-socket.ts';

/** One port has two channels; the first message on each is the port's number. */
const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;

/**
 * A connection to a port of a pod, as a stream:
 *
 *     createServer(async (local) => local.pipe(await portForward(client, pod, { port: 80 })).pipe(local)).listen(8080);
 *
 * What the pod's side cannot do is the stream's error. Ending it closes the connection.
 */
export async function portForward(
  client: Client,
  pod: ObjectRef,
  { port, signal }: { readonly port: number; readonly signal?: AbortSignal },
): Promise<Duplex> {
  const path = resourcePath(Pod, { ...pod, subresource: 'portforward' });
  const request = { path, query: `ports=${port}`, protocols: [PROTOCOL], ...(signal && { signal }) };
  return new ForwardedPort(await client.openSocket(request), port);
}

class ForwardedPort extends Duplex {
  readonly #socket: MessageSocket;
  readonly #port: number;
  readonly #named = new Set<number>();
  #wake: () => void = () => undefined;

  constructor(socket: MessageSocket, port: number) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#port = port;
    this.#pump().then(
      () => this.push(null),
      (error: Error) => this.destroy(error),
    );
  }

  override _read(): void {
    this.#wake();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Uint8Array.of(DATA), chunk])).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wake();
    this.#socket.close().then(
      () => done(error),
      () => done(error),
    );
  }

  async #pump(): Promise<void> {
    for await (const received of this.#socket) {
      const [channel = DATA] = received;
      const bytes = this.#named.has(channel) ? received.subarray(1) : this.#readPort(channel, received);
      if (bytes.length === 0) continue;
      if (channel === ERROR) throw new ClientError({ code: 'Refused', what: Buffer.from(bytes).toString().trim() });
      if (!this.push(bytes) && !this.destroyed) await this.#wanted();
    }
  }

  #readPort(channel: number, received: Uint8Array): Uint8Array {
    this.#named.add(channel);
    const port = (received[1] ?? 0) + 256 * (received[2] ?? 0);
    if (port === this.#port) return received.subarray(3);
    throw new ClientError({ code: 'Unreadable', what: `port ${port} where ${this.#port} was asked for` });
  }

  #wanted(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
