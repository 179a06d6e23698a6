import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ApiRequest, ApiResponse, MessageSocket } from '@pintle/apiserver';
import { isWebSocketUpgrade, readHandshake } from '@pintle/apiserver/http';
import { headerOf } from '@pintle/apiserver/request';
import { badRequestError } from '@pintle/machinery/errors';
import { commandStatus } from './command-status.ts';
import type { ContainerStreams, TerminalSize } from './node-connector.ts';

/** First byte of each message, the stream; `close` is followed by the stream that ends. */
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'channel.k8s.io'];
const MAX_MESSAGE_BYTES = 1024 * 1024;
const NOTHING = new Uint8Array();

export interface CommandOptions {
  readonly stdin: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/**
 * Upgrades a request to a WebSocket that carries the streams of a command, and runs it. The last message is the result
 * or the error of `run`.
 */
export function openCommandSocket(
  request: ApiRequest,
  options: CommandOptions,
  run: (streams: ContainerStreams) => Promise<number>,
): ApiResponse {
  if (!request.canUpgrade || !isWebSocketUpgrade(request)) throw badRequestError('Upgrade request required');
  const offered = headerOf(request, 'sec-websocket-protocol') ?? '';
  const handshake = readHandshake(request);
  if (typeof handshake === 'string') throw badRequestError(handshake);
  const names = offered.split(',', 32).map((name) => name.trim());
  const protocol = PROTOCOLS.find((name) => names.includes(name));
  if (protocol === undefined) throw badRequestError(`no supported protocol in: ${offered}`);
  const serve = (socket: MessageSocket): void => void new CommandSession(socket, options).run(run);
  const webSocket = { protocol, maxMessageBytes: MAX_MESSAGE_BYTES, serve };
  return { status: 101, headers: {}, body: NOTHING, webSocket };
}

/** One command with its client's socket. */
class CommandSession {
  readonly #socket: MessageSocket;
  readonly #options: CommandOptions;
  readonly #stdin = new PassThrough();
  readonly #sizes = new PassThrough({ objectMode: true });
  readonly #gone = new AbortController();

  constructor(socket: MessageSocket, options: CommandOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  async run(run: (streams: ContainerStreams) => Promise<number>): Promise<void> {
    const { messages } = this.#socket;
    messages.on('error', () => this.#leave());
    messages.once('close', () => this.#leave());
    const reading = this.#read();
    const outcome = await run(this.#streams()).then(
      (exitCode) => commandStatus({ exitCode }),
      (error: unknown) => commandStatus({ error }),
    );
    await this.#send(CHANNELS.error, Buffer.from(JSON.stringify(outcome))).catch(() => undefined);
    this.#socket.close();
    // Paused input would keep the client's close from being read.
    this.#stdin.resume();
    await reading;
  }

  #streams(): ContainerStreams {
    const { stdin, stderr, tty } = this.#options;
    return {
      ...(stdin && { stdin: this.#stdin }),
      stdout: (chunk) => this.#send(CHANNELS.stdout, chunk),
      stderr: (chunk) => (stderr ? this.#send(tty ? CHANNELS.stdout : CHANNELS.stderr, chunk) : Promise.resolve()),
      ...(tty && { terminal: this.#sizes as AsyncIterable<TerminalSize> }),
      signal: this.#gone.signal,
    };
  }

  /** Delivers messages until the client closes or violates the protocol. */
  async #read(): Promise<void> {
    try {
      for await (const message of this.#socket.messages) {
        const bytes = Buffer.from(message);
        await this.#deliver(bytes[0], bytes.subarray(1));
      }
    } catch {
      // The command ends as if the client had closed.
    } finally {
      this.#leave();
    }
  }

  async #deliver(channel: number | undefined, message: Uint8Array): Promise<void> {
    if (channel === CHANNELS.stdin) {
      // The command does not read it, and waiting for that would hide that the client is gone.
      if (!this.#options.stdin || message.length === 0 || !this.#stdin.writable) return;
      if (!this.#stdin.write(message)) await once(this.#stdin, 'drain', { signal: this.#gone.signal }).catch(() => {});
    } else if (channel === CHANNELS.close && message[0] === CHANNELS.stdin) this.#stdin.end();
    else if (channel === CHANNELS.resize) this.#resize(message);
  }

  /** Ignores sizes when there is no terminal. */
  #resize(message: Uint8Array): void {
    try {
      const { Width: width, Height: height } = JSON.parse(Buffer.from(message).toString());
      if (Number.isInteger(width) && Number.isInteger(height) && !this.#sizes.writableNeedDrain)
        this.#sizes.write({ width, height });
    } catch {
      // An invalid size changes nothing.
    }
  }

  async #send(channel: number, chunk: Uint8Array): Promise<void> {
    if (this.#gone.signal.aborted) return;
    await this.#socket.send(Buffer.concat([Buffer.from([channel]), chunk]));
  }

  #leave(): void {
    this.#stdin.end();
    this.#sizes.end();
    this.#gone.abort(new Error('The client is gone'));
  }
}
