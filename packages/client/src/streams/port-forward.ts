import { Duplex } from 'node:stream';
import type { Clock, Timer } from '@pintle/async';
import { Pod } from '@pintle/kinds/core/v1';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { ObjectRef } from '../rest/resource-path.ts';
import { resourcePath } from '../rest/resource-path.ts';
import type { MessageSocket } from '../transport/message-socket.ts';

/**
 * One port has two channels; the first message on each is the port's number. A server of
 * 1.36 hands it on as it is, and what kubelets stream with understands it, without a feature being switched on. It cannot
 * say that only one direction has ended; for that kubectl speaks SPDY inside a WebSocket (SPDY/3.1+portforward.k8s.io).
 */
const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
/** When one direction of a connection has ended, container runtimes give the other half a second. The way there takes time too. */
const LAST_WORDS_MS = 1_000;

/**
 * A connection to a port of a pod, as a stream:
 *
 *     const server = createServer({ allowHalfOpen: true }, async (local) => {
 *       const remote = await portForward(client, pod, { port: 80 });
 *       pipeline(local, remote, local, () => undefined);
 *     });
 *     server.listen(8080);
 *
 * What the pod's side cannot do is the stream's error. Ending it closes the connection, once the pod has said nothing more
 * for a second: it cannot be told that only the one direction has ended.
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
  readonly #named = new Set<number>();
  /** Nothing more will be written. */
  #isOver = false;
  /** Something came that is not yet taken. */
  #isTaking = false;
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
      this.#isTaking = true;
      this.#silence?.cancel();
      await this.#take(received);
      this.#isTaking = false;
      this.#closeWhenSilent();
    }
  }

  async #take(received: Uint8Array): Promise<void> {
    const [channel = DATA] = received;
    const bytes = this.#named.has(channel) ? received.subarray(1) : this.#readPort(channel, received);
    if (bytes.length === 0) return;
    if (channel === ERROR) throw new ClientError({ code: 'Refused', what: Buffer.from(bytes).toString().trim() });
    if (!this.push(bytes) && !this.destroyed) await this.#wanted();
  }

  #readPort(channel: number, received: Uint8Array): Uint8Array {
    this.#named.add(channel);
    const port = (received[1] ?? 0) + 256 * (received[2] ?? 0);
    if (port === this.#port) return received.subarray(3);
    throw new ClientError({ code: 'Unreadable', what: `port ${port} where ${this.#port} was asked for` });
  }

  #closeWhenSilent(): void {
    this.#silence?.cancel();
    if (!this.#isOver || this.#isTaking || this.destroyed) return;
    this.#silence = this.#clock.setTimer(LAST_WORDS_MS, () => {
      this.#isClosedHere = true;
      void this.#socket.close();
    });
  }

  #wanted(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
