import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { duplexPair, PassThrough } from 'node:stream';
import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import {
  CLOSE_CODES,
  encodeClose,
  encodeFrame,
  type Frame,
  FrameReader,
  isWebSocketUpgrade,
  OPCODES,
  readHandshake,
} from '@pintle/apiserver/http';
import { headerOf } from '@pintle/apiserver/request';
import { badRequestError } from '@pintle/machinery/errors';
import { commandStatus } from './command-status.ts';
import type { ContainerStreams, TerminalSize } from './node-connector.ts';

/** The first byte of each message says which stream it is of; `close` is followed by the stream that ends. */
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
 * Answers a request for a command with a WebSocket on which its streams are carried side by side, and runs it: what
 * `run` resolves or rejects with is the last thing the client is told.
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
  if (protocol === undefined) throw badRequestError(`none of the protocols is known: ${offered}`);
  const [theirs, ours] = duplexPair();
  void new CommandSession(ours, options).run(run);
  return {
    status: 101,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-accept': handshake.accept,
      'sec-websocket-protocol': protocol,
    },
    body: NOTHING,
    upgraded: { socket: theirs, head: NOTHING },
  };
}

/** One command and the socket its client is at. */
class CommandSession {
  readonly #socket: Duplex;
  readonly #options: CommandOptions;
  readonly #stdin = new PassThrough();
  readonly #sizes = new PassThrough({ objectMode: true });
  readonly #gone = new AbortController();
  #message: Uint8Array[] = [];
  #messageBytes = 0;

  constructor(socket: Duplex, options: CommandOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  async run(run: (streams: ContainerStreams) => Promise<number>): Promise<void> {
    const socket = this.#socket;
    socket.on('error', () => this.#leave());
    socket.once('close', () => this.#leave());
    const reading = this.#read();
    const outcome = await run(this.#streams()).then(
      (exitCode) => commandStatus({ exitCode }),
      (error: unknown) => commandStatus({ error }),
    );
    await this.#send(CHANNELS.error, Buffer.from(JSON.stringify(outcome))).catch(() => undefined);
    socket.end(encodeClose(CLOSE_CODES.normal));
    // Nobody reads what still comes; held back, it would keep the client's goodbye from being heard.
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

  /** Until the client says that it is done, or breaks the rules. What it says after that is dropped. */
  async #read(): Promise<void> {
    const reader = new FrameReader(MAX_MESSAGE_BYTES);
    try {
      for await (const bytes of this.#socket.iterator({ destroyOnReturn: false }))
        for (const frame of reader.push(bytes)) if (!(await this.#take(frame))) return;
    } catch {
      // It is left as if it had said that it is done.
    } finally {
      this.#leave();
      this.#socket.resume();
    }
  }

  /** Gives false when the client closes. */
  async #take({ opcode, isFinal, payload }: Frame): Promise<boolean> {
    if (opcode === OPCODES.close) return false;
    if (opcode === OPCODES.ping) this.#socket.write(encodeFrame(OPCODES.pong, payload));
    if (opcode >= OPCODES.close) return true;
    this.#message.push(payload);
    this.#messageBytes += payload.length;
    if (this.#messageBytes > MAX_MESSAGE_BYTES) throw new RangeError('The message is too long');
    if (!isFinal) return true;
    const [channel = 0, ...rest] = [this.#message[0]?.[0], ...this.#message];
    const message = Buffer.concat(rest).subarray(1);
    this.#message = [];
    this.#messageBytes = 0;
    await this.#deliver(channel, message);
    return true;
  }

  async #deliver(channel: number, message: Uint8Array): Promise<void> {
    if (channel === CHANNELS.stdin && message.length > 0 && this.#stdin.writable) {
      if (!this.#stdin.write(message)) await once(this.#stdin, 'drain', { signal: this.#gone.signal }).catch(() => {});
    } else if (channel === CHANNELS.close && message[0] === CHANNELS.stdin) this.#stdin.end();
    else if (channel === CHANNELS.resize) this.#resize(message);
  }

  /** Sizes nobody looks at are not worth keeping. */
  #resize(message: Uint8Array): void {
    try {
      const { Width: width, Height: height } = JSON.parse(Buffer.from(message).toString());
      if (Number.isInteger(width) && Number.isInteger(height) && !this.#sizes.writableNeedDrain)
        this.#sizes.write({ width, height });
    } catch {
      // What is no size changes nothing.
    }
  }

  async #send(channel: number, chunk: Uint8Array): Promise<void> {
    if (this.#gone.signal.aborted) return;
    const isTaken = this.#socket.write(encodeFrame(OPCODES.binary, Buffer.concat([Buffer.from([channel]), chunk])));
    if (!isTaken) await once(this.#socket, 'drain', { signal: this.#gone.signal });
  }

  #leave(): void {
    this.#stdin.end();
    this.#sizes.end();
    this.#gone.abort(new Error('The client is gone'));
  }
}
