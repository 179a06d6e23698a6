import { Pod } from '@pintle/kinds/core/v1';
import { type Status, StatusError } from '@pintle/machinery/errors';
import { isJsonObject, type JsonValue, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { ObjectRef } from '../rest/resource-path.ts';
import { resourcePath } from '../rest/resource-path.ts';
import type { MessageSocket } from '../transport/message-socket.ts';

export interface AttachOptions {
  /** Default: the container in the annotation `kubectl.kubernetes.io/default-container`, or the only one. */
  readonly container?: string;
  /** True opens standard input. */
  readonly stdin?: boolean;
  /** True allocates a terminal, which merges standard output and standard error. */
  readonly tty?: boolean;
  readonly signal?: AbortSignal;
}

export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** Output of a program. */
export interface Output {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** Version 5 can close standard input. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const EXIT_STATUS = 3;
const RESIZE = 4;
const CLOSE = 255;

/**
 * Runs a program in a container.
 *
 *     await using session = await exec(client, { namespace, name }, { command: ['date'] });
 *     for await (const { stream, bytes } of session) process[stream].write(bytes);
 *     console.log(session.exitCode);
 */
export function exec(client: Client, pod: ObjectRef, options: ExecOptions): Promise<ExecSession> {
  return open(client, pod, 'exec', options, options.command);
}

/** Attaches to the main process of a container. */
export function attach(client: Client, pod: ObjectRef, options: AttachOptions = {}): Promise<ExecSession> {
  return open(client, pod, 'attach', options, []);
}

/** Program in a container. Read its output to the end: unread output blocks the program. */
export class ExecSession implements AsyncIterable<Output>, AsyncDisposable {
  readonly #socket: MessageSocket;
  #exitCode: number | undefined;

  constructor(socket: MessageSocket) {
    this.#socket = socket;
  }

  /** Set once the output has ended. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  async write(input: string | Uint8Array): Promise<void> {
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    if (bytes.length > 0) await this.#socket.send(message(STDIN, bytes));
  }

  /** Closes standard input. Rejects when the server speaks version 4, which cannot do that. */
  async endInput(): Promise<void> {
    if (this.#socket.protocol !== PROTOCOLS[0])
      throw new ClientError({ code: 'Unsupported', what: `endInput with ${this.#socket.protocol}` });
    await this.#socket.send(Uint8Array.of(CLOSE, STDIN));
  }

  async resize({ width, height }: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#socket.send(message(RESIZE, Buffer.from(JSON.stringify({ Width: width, Height: height }))));
  }

  /** Throws a `StatusError` when the program could not be started. A program that fails has an exit code. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Output, void> {
    for await (const received of this.#socket) {
      const [channel] = received;
      const bytes = received.subarray(1);
      if (channel === EXIT_STATUS) this.#exitCode = exitCodeIn(bytes);
      else if (bytes.length > 0 && channel === STDOUT) yield { stream: 'stdout', bytes };
      else if (bytes.length > 0 && channel === STDERR) yield { stream: 'stderr', bytes };
      if (channel === EXIT_STATUS) break;
    }
    if (this.#exitCode === undefined)
      throw new ClientError({ code: 'Unreadable', what: 'the output ended without an exit status' });
  }

  /** Reads the whole output into memory. */
  async collect(): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }> {
    const outputs = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    for await (const { stream, bytes } of this) outputs[stream].push(bytes);
    const text = (parts: Uint8Array[]): string => Buffer.concat(parts).toString();
    return { stdout: text(outputs.stdout), stderr: text(outputs.stderr), exitCode: this.#exitCode! };
  }

  /** Closes the connection; the program may go on. */
  async close(): Promise<void> {
    await this.#socket.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function open(
  client: Client,
  pod: ObjectRef,
  subresource: 'exec' | 'attach',
  { container, stdin = false, tty = false, signal }: AttachOptions,
  command: readonly string[],
): Promise<ExecSession> {
  const query = new URLSearchParams(command.map((word): [string, string] => ['command', word]));
  if (container !== undefined) query.set('container', container);
  for (const [name, isWanted] of Object.entries({ stdin, stdout: true, stderr: !tty, tty }))
    query.set(name, `${isWanted}`);
  const path = resourcePath(Pod, { ...pod, subresource });
  const request = { path, query: query.toString(), protocols: PROTOCOLS, ...(signal && { signal }) };
  return new ExecSession(await client.openSocket(request));
}

function message(channel: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(channel), bytes]);
}

function exitCodeIn(bytes: Uint8Array): number {
  const status = statusIn(bytes);
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (status.reason !== 'NonZeroExitCode' || cause === undefined) throw new StatusError(status);
  return Number(cause.message);
}

/** Servers and kubelets send a Status without apiVersion and kind: `{"metadata":{},"status":"Success"}`. */
function statusIn(bytes: Uint8Array): Status {
  let value: JsonValue;
  try {
    value = parseJson(bytes, trustedLimits);
  } catch (cause) {
    throw new ClientError({ code: 'Unreadable', what: 'the exit status is not JSON' }, { cause });
  }
  if (!isJsonObject(value) || (value.status !== 'Success' && value.status !== 'Failure'))
    throw new ClientError({ code: 'Unreadable', what: 'the exit status is not a Status' });
  return { metadata: {}, ...(value as Partial<Status>), status: value.status, kind: 'Status', apiVersion: 'v1' };
}
