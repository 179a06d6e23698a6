import { Duplex } from 'node:stream';
import type { Clock, Timer } from '@pintle/async';
import { Pod } from '@pintle/kinds/core/v1';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { ObjectRef } from '../rest/resource-path.ts';
import { resourcePath } from '../rest/resource-path.ts';
import type { MessageSocket } from '../transport/message-socket.ts';

/**
 * Each port has two channels; the first message on each is the port number. Servers and kubelets of 1.36 support it without
 * a feature gate. It cannot close only one direction; for that kubectl tunnels SPDY through a WebSocket
 * (SPDY/3.1+portforward.k8s.io).
 */
const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
/** Time to wait for the pod after our side has ended. Container runtimes give half a second; the network takes time too. */
const CLOSE_DELAY_MS = 1_000;

/**
 * Opens a connection to a port of a pod, as a stream:
 *
 *     const server = createServer({ allowHalfOpen: true }, async (local) => {
 *       const remote = await portForward(client, pod, { port: 80 });
 *       pipeline(local, remote, local, () => undefined);
 *     });
 *     server.listen(8080);
 *
 * Errors of the pod are errors of the stream. Ending the stream closes the connection once the pod has sent nothing for a
 * second, because the protocol cannot close only one direction.
 */
export async function portForward(
  client: Client,
  pod: ObjectRef,
  { port, signal }: { readonly port: number; readonly signal?: AbortSignal },
): Promise<Duplex> {
  const path = resourcePath(Pod, { ...pod, subresource: 'portforward' });
  const request = { path, query: `ports=${port}`, protocols: [PROTOCOL], ...(signal && { signal }) };
  return new ForwardedPort(await client.openSocket(request), { port, clock: client.clock });
}

class ForwardedPort extends Duplex {
  readonly #socket: MessageSocket;
  readonly #port: number;
  readonly #clock: Clock;
  readonly #openChannels = new Set<number>();
  /** True after the last write. */
  #isOver = false;
  /** True while a received message is being processed. */
  #isReceiving = false;
  #isClosedHere = false;
  #silence: Timer | undefined;
  #wake: () => void = () => undefined;

  constructor(socket: MessageSocket, { port, clock }: { readonly port: number; readonly clock: Clock }) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#port = port;
    this.#clock = clock;
    this.#pump().then(
      () => this.push(null),
      (error: Error) => (this.#isClosedHere ? this.push(null) : this.destroy(error)),
    );
  }

  override _read(): void {
    this.#wake();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Uint8Array.of(DATA), chunk])).then(() => done(), done);
  }

  override _final(done: () => void): void {
    this.#isOver = true;
    this.#closeWhenSilent();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#silence?.cancel();
    this.#wake();
    this.#socket.close().then(
      () => done(error),
      () => done(error),
    );
  }

  async #pump(): Promise<void> {
    for await (const received of this.#socket) {
      this.#isReceiving = true;
      this.#silence?.cancel();
      await this.#receive(received);
      this.#isReceiving = false;
      this.#closeWhenSilent();
    }
  }

  async #receive(received: Uint8Array): Promise<void> {
    const [channel = DATA] = received;
    const bytes = this.#openChannels.has(channel) ? received.subarray(1) : this.#readPort(channel, received);
    if (bytes.length === 0) return;
    if (channel === ERROR) throw new ClientError({ code: 'Refused', what: Buffer.from(bytes).toString().trim() });
    if (!this.push(bytes) && !this.destroyed) await this.#untilRead();
  }

  #readPort(channel: number, received: Uint8Array): Uint8Array {
    this.#openChannels.add(channel);
    const port = (received[1] ?? 0) + 256 * (received[2] ?? 0);
    if (port === this.#port) return received.subarray(3);
    throw new ClientError({ code: 'Unreadable', what: `data is for port ${port}, expected port ${this.#port}` });
  }

  #closeWhenSilent(): void {
    this.#silence?.cancel();
    if (!this.#isOver || this.#isReceiving || this.destroyed) return;
    this.#silence = this.#clock.setTimer(CLOSE_DELAY_MS, () => {
      this.#isClosedHere = true;
      void this.#socket.close();
    });
  }

  #untilRead(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
