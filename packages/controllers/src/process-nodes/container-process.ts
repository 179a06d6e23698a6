import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@pintle/async';
import { ContainerLog } from './container-log.ts';

/** What a process needs to know of where it runs. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** The other end of what a process reads and writes. */
export interface Streams {
  readonly stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): Promise<void>;
  stderr(chunk: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

/** How a process ended. `message`: it never began. */
export interface Exit {
  readonly exitCode: number;
  readonly message?: string;
}

const NEVER_BEGAN = 128;

/** The command of a container, running, with what it writes kept in a log. */
export class ContainerProcess {
  readonly log = new ContainerLog();
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(command: readonly string[], surroundings: Surroundings, clock: Clock, { stdin = false } = {}) {
    this.#child = start(command, surroundings, stdin);
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (chunk: Buffer) => this.log.write(chunk, clock.now()));
    this.exited = exitOf(this.#child).then((exit) => {
      if (exit.message !== undefined) this.log.write(Buffer.from(`${exit.message}\n`), clock.now());
      this.log.end(clock.now());
      return exit;
    });
  }

  /** Asks it, and what it has started, to stop, or makes it. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.#child, signal);
  }

  /** Joins what it reads and writes, from now on, until it ends or the other side is gone. */
  async attach({ stdin, stdout, stderr, signal }: Streams): Promise<number> {
    const child = this.#child;
    const onOut = (chunk: Buffer): void => void stdout(chunk).catch(() => undefined);
    const onErr = (chunk: Buffer): void => void stderr(chunk).catch(() => undefined);
    child.stdout!.on('data', onOut);
    child.stderr!.on('data', onErr);
    if (stdin !== undefined && child.stdin) void feed(child, stdin);
    try {
      return await Promise.race([this.exited.then(({ exitCode }) => exitCode), gone(signal)]);
    } finally {
      child.stdout!.off('data', onOut);
      child.stderr!.off('data', onErr);
    }
  }
}

/** Runs a command beside a container's; it ends when the other side is gone. */
export async function runCommand(
  command: readonly string[],
  surroundings: Surroundings,
  streams: Streams,
): Promise<number> {
  const child = start(command, surroundings, streams.stdin !== undefined);
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

/** In a process group of its own, so that all it starts can be stopped with it. */
function start([file = '', ...args]: readonly string[], { env, folder }: Surroundings, stdin: boolean): ChildProcess {
  return spawn(file, args, { cwd: folder, env, detached: true, stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
  } catch (error) {
    return { exitCode: NEVER_BEGAN, message: error instanceof Error ? error.message : String(error) };
  }
}

async function copy(from: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  try {
    for await (const chunk of from) await take(chunk);
  } catch {
    // The other side is gone, which ends the command too.
  }
}

/** A process need not read to the end what it is told. */
async function feed({ stdin }: ChildProcess, from: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(from, stdin!).catch(() => undefined);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

function gone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
