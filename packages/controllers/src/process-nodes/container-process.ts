import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@pintle/async';
import { ContainerLog } from './container-log.ts';

/** Environment and working directory of a process. */
export interface ProcessEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Streams of a client that is attached to a process. */
export interface Streams {
  readonly stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): Promise<void>;
  stderr(chunk: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

/** Result of a process. `message`: it could not be started. */
export interface Exit {
  readonly exitCode: number;
  readonly message?: string;
}

const START_FAILED_EXIT_CODE = 128;

/** A running command of a container, with its log. */
export class ContainerProcess {
  readonly log = new ContainerLog();
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  /** Number of clients, by stream, that have not consumed its last chunk. */
  readonly #pendingChunks = new Map<Readable, number>();

  constructor(command: readonly string[], environment: ProcessEnvironment, clock: Clock, { stdin = false } = {}) {
    this.#child = start(command, environment, stdin);
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (chunk: Buffer) => this.log.write(chunk, clock.now()));
    this.exited = exitOf(this.#child, clock).then((exit) => {
      if (exit.message !== undefined) this.log.write(Buffer.from(`${exit.message}\n`), clock.now());
      this.log.end(clock.now());
      return exit;
    });
  }

  /** Sends a signal to the process group. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.#child, signal);
  }

  /**
   * Attaches a client to the process, until either ends. While the client does not read, the process' output is paused,
   * so the process blocks as on a terminal.
   */
  async attach({ stdin, stdout, stderr, signal }: Streams): Promise<number> {
    const child = this.#child;
    const isDetached = clientGone(signal);
    const onOut = (chunk: Buffer): void => void this.#pass(child.stdout!, Promise.race([stdout(chunk), isDetached]));
    const onErr = (chunk: Buffer): void => void this.#pass(child.stderr!, Promise.race([stderr(chunk), isDetached]));
    child.stdout!.on('data', onOut);
    child.stderr!.on('data', onErr);
    if (stdin !== undefined && child.stdin) void feed(child, stdin);
    try {
      return await Promise.race([this.exited.then(({ exitCode }) => exitCode), isDetached]);
    } finally {
      child.stdout!.off('data', onOut);
      child.stderr!.off('data', onErr);
    }
  }

  async #pass(stream: Readable, taken: Promise<void>): Promise<void> {
    this.#pendingChunks.set(stream, (this.#pendingChunks.get(stream) ?? 0) + 1);
    stream.pause();
    await taken.catch(() => undefined);
    const pending = this.#pendingChunks.get(stream)! - 1;
    this.#pendingChunks.set(stream, pending);
    if (pending === 0) stream.resume();
  }
}

/** Runs a command beside a container's. Kills it when the client is gone. */
export async function runCommand(
  command: readonly string[],
  environment: ProcessEnvironment,
  streams: Streams,
): Promise<number> {
  const child = start(command, environment, streams.stdin !== undefined);
  const exited = exitOf(child);
  const onAbort = (): void => signalGroup(child, 'SIGKILL');
  streams.signal.addEventListener('abort', onAbort, { once: true });
  if (streams.stdin !== undefined) void feed(child, streams.stdin);
  try {
    const [{ exitCode, message }] = await Promise.all([
      exited,
      copy(child.stdout!, (chunk) => streams.stdout(chunk)),
      copy(child.stderr!, (chunk) => streams.stderr(chunk)),
    ]);
    if (message !== undefined) throw new Error(`Cannot run the command: ${message}`);
    return exitCode;
  } finally {
    streams.signal.removeEventListener('abort', onAbort);
  }
}

/** Uses its own process group, so that all of its children can be stopped with it. */
function start(
  [file = '', ...args]: readonly string[],
  { env, folder }: ProcessEnvironment,
  stdin: boolean,
): ChildProcess {
  const child = spawn(file, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  if (!child.stdout) {
    // Without file descriptors there are no pipes; the error follows, and nothing else would listen.
    child.on('error', () => undefined);
    throw new Error(`Cannot start ${file}: too many files are open`);
  }
  if (running.size === 0) process.on('exit', killRunning);
  running.add(child);
  return child;
}

/**
 * Running processes, which are killed when this process exits. Those that survive a kill of this process are found by
 * the next server (`OrphanedProcesses`).
 */
const running = new Set<ChildProcess>();

function killRunning(): void {
  for (const child of running) signalGroup(child, 'SIGKILL');
}

/** Kills the remaining process group when the process exits, as in a container. */
async function exitOf(child: ChildProcess, clock?: Clock): Promise<Exit> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    signalGroup(child, 'SIGKILL');
    if (clock !== undefined) await closedSoon(child, closed, clock);
    return { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
  } catch (error) {
    return { exitCode: START_FAILED_EXIT_CODE, message: error instanceof Error ? error.message : String(error) };
  } finally {
    running.delete(child);
    if (running.size === 0) process.off('exit', killRunning);
  }
}

const CLOSE_WAIT_MS = 1_000;

/** Waits a short time for the pipes, which a process outside of the group may keep open. */
async function closedSoon(child: ChildProcess, closed: Promise<unknown>, clock: Clock): Promise<void> {
  const timer = clock.setTimer(CLOSE_WAIT_MS, () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
  await closed;
  timer.cancel();
}

async function copy(from: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  try {
    for await (const chunk of from) await take(chunk);
  } catch {
    // The client is gone, which ends the command too.
  }
}

/** A process may exit without reading all of its input. */
async function feed({ stdin }: ChildProcess, from: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(from, stdin!).catch(() => undefined);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has exited already.
  }
}

function clientGone(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Handled here, because the process may end first.
  rejected.catch(() => undefined);
  return rejected;
}
