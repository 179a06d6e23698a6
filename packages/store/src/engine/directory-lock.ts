import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { StoreError } from '../errors.ts';

/** One holder per directory. Released by `release` or by the end of the process, however it ends. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks a directory. Node.js has no `flock`, so the lock is a local socket named after the directory's identity: the
 * operating system lets one process listen on it and closes it when that process ends, even by `kill -9`. On Linux it
 * is an abstract socket, on Windows a named pipe, and neither leaves anything behind. Elsewhere it is a file in the
 * system's temporary directory; one that no process answers on is left over and is taken.
 *
 * The file `holder` only names the holder in the error of the next process.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const holder = join(directory, 'holder');
  const server = await acquire(addressOf(directory), holder);
  if (server === undefined) throw locked(directory, holder);
  writeName(holder);
  return {
    release: () =>
      new Promise((resolve) => {
        rmSync(holder, { force: true });
        server.close(() => resolve());
      }),
  };
}

/** Ignores a full disk: the lock holds without the name, and the store can be opened. */
function writeName(holder: string): void {
  try {
    writeFileSync(holder, `process ${process.pid}`, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Number and interval of attempts while a holder without a name is starting or leaving. */
const ATTEMPTS = 50;
const ATTEMPT_INTERVAL_MS = 10;

/**
 * Returns undefined when another process has the lock. A holder without a name is about to write it, or has ended: a
 * child that it was starting may still hold the socket for a moment.
 */
async function acquire(address: string, holderFile: string): Promise<Server | undefined> {
  for (let attempts = 1; ; attempts++) {
    const server = (await listen(address)) ?? ((await isLeftOver(address)) ? await listen(address) : undefined);
    if (server !== undefined || existsSync(holderFile) || attempts === ATTEMPTS) return server;
    await realClock.sleep(ATTEMPT_INTERVAL_MS);
  }
}

function locked(directory: string, holderFile: string): StoreError {
  let holder: string | undefined;
  try {
    holder = readFileSync(holderFile, 'utf8');
  } catch {
    // The holder has not written its name yet, or is leaving.
  }
  return new StoreError({ code: 'Locked', path: directory, ...(holder && { holder }) });
}

function addressOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  const name = `pintle-store-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.lock`);
}

/** Returns undefined when another process listens there. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path: address, exclusive: true }, () => resolve(server));
    server.unref();
  });
}

/** Removes a socket file that no process listens on. */
function isLeftOver(address: string): Promise<boolean> {
  if (!address.startsWith('/')) return Promise.resolve(false);
  return new Promise((resolve) => {
    const probe = connect(address);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', () => {
      rmSync(address, { force: true });
      resolve(true);
    });
  });
}
