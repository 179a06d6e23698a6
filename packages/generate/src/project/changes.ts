import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type FileChange, GenerateError } from '../errors.ts';

/**
 * Collects changes of files of a project. Nothing is written before all changes are known to be possible; existing work is
 * edited, never overwritten. Paths are relative to the project, or absolute.
 */
export class Changes {
  readonly #directory: string;
  readonly #changes = new Map<string, FileChange>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Creates a file. Throws Exists when there is another one with other content. */
  create(path: string, text: string): void {
    const present = this.read(path);
    const type = present === undefined ? 'create' : present === text ? 'same' : 'exists';
    if (type === 'exists') throw new GenerateError({ code: 'Exists', paths: [path] });
    this.#changes.set(path, { path, type, text });
  }

  /** Writes a file that the tool maintains. */
  put(path: string, text: string): void {
    const present = this.read(path);
    const type = present === undefined ? 'create' : present === text ? 'same' : 'edit';
    this.#changes.set(path, { path, type, text });
  }

  /** Throws CannotEdit when the file does not exist or `change` cannot edit it. */
  edit(path: string, change: (text: string) => string): void {
    const present = this.#changes.get(path)?.text ?? this.read(path);
    if (present === undefined) throw new GenerateError({ code: 'CannotEdit', path, detail: 'the file does not exist' });
    const earlier = this.#changes.get(path)?.type;
    const text = change(present);
    const type = earlier === 'create' ? 'create' : text === this.read(path) ? 'same' : 'edit';
    this.#changes.set(path, { path, type, text });
  }

  /** Copies a binary file. */
  copy(path: string, source: string): void {
    const present = readIfThere(resolve(this.#directory, path));
    const isSame = present?.equals(readFileSync(source)) === true;
    this.#changes.set(path, { path, type: isSame ? 'same' : present === undefined ? 'create' : 'edit', source });
  }

  /** Moves a file, with `text` as its new content. Throws Exists when the target exists. */
  move(from: string, path: string, text?: string): void {
    const isTaken = this.#changes.has(path) || this.read(path) !== undefined;
    if (isTaken) throw new GenerateError({ code: 'Exists', paths: [path] });
    this.#changes.set(path, { path, type: 'move', from, ...(text !== undefined && { text }) });
  }

  /** Deletes a file that the tool wrote and the user did not change. */
  delete(path: string): void {
    if (this.read(path) !== undefined) this.#changes.set(path, { path, type: 'delete' });
  }

  /** Deletes the files below a folder that begin with the mark of the tool and were not put this time. */
  deleteOthers(folder: string, mark: string): void {
    const root = resolve(this.#directory, folder);
    if (!existsSync(root)) return;
    for (const entry of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const path = `${folder}/${entry.replaceAll('\\', '/')}`;
      if (path.endsWith('.yaml') && !this.#changes.has(path) && this.read(path)?.startsWith(mark)) this.delete(path);
    }
  }

  read(path: string): string | undefined {
    return readIfThere(resolve(this.#directory, path))?.toString('utf8');
  }

  get all(): readonly FileChange[] {
    return [...this.#changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  write(): readonly FileChange[] {
    for (const { path, type, text, from, source } of this.all) {
      if (type === 'same') continue;
      const file = resolve(this.#directory, path);
      if (type === 'delete') {
        rmSync(file);
        continue;
      }
      mkdirSync(dirname(file), { recursive: true });
      if (from !== undefined) move(resolve(this.#directory, from), file);
      if (text !== undefined) writeFileSync(file, text);
      if (source !== undefined) copyFileSync(source, file);
    }
    return this.all;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Moves a file and removes its folder when that is empty. */
function move(from: string, to: string): void {
  renameSync(from, to);
  if (readdirSync(dirname(from)).length === 0) rmdirSync(dirname(from));
}

/** Writes the changes; with `check`, throws Stale when there are any. */
export function finish(changes: Changes, check: boolean): readonly FileChange[] {
  if (!check) return changes.write();
  const stale = changes.all.filter(({ type }) => type !== 'same');
  if (stale.length > 0) throw new GenerateError({ code: 'Stale', changes: stale });
  return changes.all;
}
