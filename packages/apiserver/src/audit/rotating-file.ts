import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '@pintle/async';

export interface RotationOptions {
  /** Size at which the file is renamed with a timestamp, as `audit-2026-01-02T03-04-05.678.log`. */
  readonly maxBytes: number;
  /** Backups to keep; 0 keeps all. */
  readonly maxBackups: number;
  /** Age up to which backups are kept; 0 keeps all. */
  readonly maxAgeMs: number;
  /** Called with each backup that is removed. */
  readonly onRemoved?: ((path: string) => void) | undefined;
  readonly clock: Clock;
}

const writeBytes = promisify(write);
/** Interval of checks whether the file still has its name. */
const CHECK_MS = 1_000;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;

/**
 * A file that only its owner can read, to which one writer appends lines. Rotated as by kube-apiserver. Appended lines stay in
 * the file when the process is killed.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #options: RotationOptions;
  #descriptor: number;
  #bytes: number;
  #checkedMs: number;

  constructor(path: string, options: RotationOptions) {
    this.#path = path;
    this.#options = options;
    this.#descriptor = openSync(path, 'a+', 0o600);
    this.#bytes = fstatSync(this.#descriptor).size;
    this.#checkedMs = options.clock.monotonic();
    this.#endLine();
  }

  /** Appends whole lines, all of them or none. Throws when the disk fails. */
  appendSync(lines: Uint8Array): void {
    this.#makeRoom(lines.length);
    try {
      for (let written = 0; written < lines.length; ) written += writeSync(this.#descriptor, lines, written);
    } catch (error) {
      this.#takeBack(error);
    }
    this.#bytes += lines.length;
  }

  /** As `appendSync`, without blocking. Await it before the next call. */
  async append(lines: Uint8Array): Promise<void> {
    this.#makeRoom(lines.length);
    try {
      for (let written = 0; written < lines.length; ) {
        written += (await writeBytes(this.#descriptor, lines, written)).bytesWritten;
      }
    } catch (error) {
      this.#takeBack(error);
    }
    this.#bytes += lines.length;
  }

  #makeRoom(bytes: number): void {
    this.#reopenIfMoved();
    if (this.#bytes > 0 && this.#bytes + bytes > this.#options.maxBytes) this.#rotate();
  }

  #takeBack(error: unknown): never {
    try {
      ftruncateSync(this.#descriptor, this.#bytes);
    } catch {
      // The first error is reported.
    }
    throw error;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Ends a line that a killed process has left incomplete. */
  #endLine(): void {
    if (this.#bytes === 0) return;
    const last = Buffer.alloc(1);
    readSync(this.#descriptor, last, 0, 1, this.#bytes - 1);
    if (last.toString() !== '\n') this.#bytes += writeSync(this.#descriptor, '\n');
  }

  /** Opens a new file when another process has moved or removed the current one. */
  #reopenIfMoved(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#checkedMs < CHECK_MS) return;
    this.#checkedMs = nowMs;
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const own = fstatSync(this.#descriptor);
    if (found === undefined || found.ino !== own.ino || found.dev !== own.dev) this.#reopen();
  }

  #reopen(): void {
    const next = openSync(this.#path, 'a+', 0o600);
    closeSync(this.#descriptor);
    this.#descriptor = next;
    this.#bytes = fstatSync(next).size;
    this.#endLine();
  }

  #rotate(): void {
    renameToBackup(this.#path, this.#freeName());
    this.#reopen();
    this.#removeOld();
  }

  #freeName(): string {
    const taken = new Set(this.#backups());
    for (let ms = this.#options.clock.now(); ; ms++) {
      const name = this.#nameAt(ms);
      if (!taken.has(name)) return join(dirname(this.#path), name);
    }
  }

  #nameAt(ms: number): string {
    const stamp = new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-');
    const extension = extname(this.#path);
    return `${basename(this.#path, extension)}-${stamp}${extension}`;
  }

  #removeOld(): void {
    const { maxBackups, maxAgeMs, onRemoved, clock } = this.#options;
    const newestFirst = this.#backups().reverse();
    const oldestName = maxAgeMs === 0 ? '' : this.#nameAt(clock.now() - maxAgeMs);
    for (const [index, name] of newestFirst.entries()) {
      if ((maxBackups === 0 || index < maxBackups) && name >= oldestName) continue;
      const path = join(dirname(this.#path), name);
      rmSync(path, { force: true });
      onRemoved?.(path);
    }
  }

  /** Returns the backups, oldest first: their names sort by time. */
  #backups(): string[] {
    const extension = extname(this.#path);
    const prefix = `${basename(this.#path, extension)}-`;
    return readdirSync(dirname(this.#path))
      .filter((name) => name.startsWith(prefix) && name.endsWith(extension))
      .filter((name) => STAMP.test(name.slice(prefix.length, name.length - extension.length)))
      .sort();
  }
}

/** Renames the file, unless another process has moved or removed it. */
function renameToBackup(path: string, backup: string): void {
  try {
    renameSync(path, backup);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
