import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GenerateError } from '../errors.ts';

export interface FileChange {
  /** From the project's folder, with slashes. */
  readonly path: string;
  readonly type: 'create' | 'edit' | 'same';
  readonly text: string;
}

/**
 * What is to become of a project's files. Nothing is written before everything is known to be possible: work that is
 * there already is edited, never overwritten.
 */
export class Changes {
  readonly #directory: string;
  readonly #changes = new Map<string, FileChange>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A file that must not be there yet, unless it is just this one. */
  create(path: string, text: string): void {
    const present = this.read(path);
    const type = present === undefined ? 'create' : present === text ? 'same' : 'exists';
    if (type === 'exists') throw new GenerateError({ code: 'Exists', paths: [path] });
    this.#changes.set(path, { path, type, text });
  }

  /** A file that the tool keeps by itself. */
  put(path: string, text: string): void {
    const present = this.read(path);
    const type = present === undefined ? 'create' : present === text ? 'same' : 'edit';
    this.#changes.set(path, { path, type, text });
  }

  /** Throws CannotEdit when there is no such file or `change` does not find its way in it. */
  edit(path: string, change: (text: string) => string): void {
    const present = this.#changes.get(path)?.text ?? this.read(path);
    if (present === undefined) throw new GenerateError({ code: 'CannotEdit', path, detail: 'it is not there' });
    const earlier = this.#changes.get(path)?.type;
    const text = change(present);
    const type = earlier === 'create' ? 'create' : text === this.read(path) ? 'same' : 'edit';
    this.#changes.set(path, { path, type, text });
  }

  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.#directory, path), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  get all(): readonly FileChange[] {
    return [...this.#changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  write(): readonly FileChange[] {
    for (const { path, type, text } of this.all) {
      if (type === 'same') continue;
      const file = join(this.#directory, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return this.all;
  }
}

/** Writes, or with `check` throws Stale when something would be written. */
export function finish(changes: Changes, check: boolean): readonly FileChange[] {
  if (!check) return changes.write();
  const stale = changes.all.filter(({ type }) => type !== 'same').map(({ path }) => path);
  if (stale.length > 0) throw new GenerateError({ code: 'Stale', paths: stale });
  return changes.all;
}
