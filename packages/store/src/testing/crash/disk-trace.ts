import { basename } from 'node:path';

/** An action of the traced process on a file of its store, or its output, in order. */
export type DiskEvent =
  | DiskWrite
  /** A write through a synchronous descriptor has returned. */
  | { readonly type: 'durable'; readonly id: number }
  /** A sync has returned; it covers the writes to the file up to the one with this id. */
  | { readonly type: 'synced'; readonly file: string; readonly upTo: number }
  | { readonly type: 'output'; readonly text: string };

export interface DiskWrite {
  readonly type: 'write';
  readonly id: number;
  readonly file: string;
  readonly at: number;
  readonly bytes: Buffer;
}

/** The files that a store is made of. */
const STORE_FILES: ReadonlySet<string> = new Set(['data.mdb', 'journal.0', 'journal.1']);

export const TRACED_CALLS = 'openat,close,pwrite64,pwritev,writev,write,lseek,fdatasync,fsync,msync,ftruncate';

/** Parses the output of `strace -f -xx`. */
export function parseTrace(trace: string): DiskEvent[] {
  const parser = new TraceParser();
  for (const line of trace.split('\n')) parser.line(line);
  return parser.events;
}

class TraceParser {
  readonly events: DiskEvent[] = [];
  /** Descriptors of the files. */
  readonly #files = new Map<number, { readonly name: string; readonly isSynchronous: boolean }>();
  readonly #positions = new Map<number, number>();
  /** Effect of a thread's call in progress once it returns. */
  readonly #unfinished = new Map<string, (result: number) => void>();
  #lastWrite = 0;

  line(line: string): void {
    const [, thread, call] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || call === undefined) return;
    const result = Number(/\)\s+= (-?\d+)/.exec(call)?.[1] ?? Number.NaN);
    if (call.startsWith('<... ')) {
      this.#unfinished.get(thread)?.(result);
      this.#unfinished.delete(thread);
      return;
    }
    const finish = this.#begin(call);
    if (finish === undefined) return;
    if (call.endsWith('<unfinished ...>')) this.#unfinished.set(thread, finish);
    else finish(result);
  }

  #begin(call: string): ((result: number) => void) | undefined {
    const name = call.slice(0, call.indexOf('('));
    if (name === 'openat') return this.#open(call);
    const file = Number(/\((\d+)/.exec(call)?.[1]);
    if (name === 'write' && file === 1) {
      this.events.push({ type: 'output', text: dataOf(call).toString() });
      return undefined;
    }
    if (!this.#files.has(file)) return undefined;
    switch (name) {
      case 'close':
        this.#files.delete(file);
        return undefined;
      case 'pwrite64':
        return this.#write(file, Number(/, (\d+)(?:\)| <unf)/.exec(call)?.[1]), dataOf(call));
      case 'lseek':
        return (result) => this.#positions.set(file, result);
      case 'writev':
        return this.#write(file, this.#positions.get(file) ?? 0, dataOf(call));
      case 'pwritev':
        return this.#write(file, Number(/, (\d+)(?:\)| <unf)/.exec(call)?.[1]), dataOf(call));
      case 'fdatasync':
      case 'fsync':
        return this.#sync(file);
      default:
        throw new Error(`Cannot replay ${name} on a file of the store`);
    }
  }

  #open(call: string): ((result: number) => void) | undefined {
    const name = basename(dataOf(call).toString());
    const isSynchronous = call.includes('O_DSYNC');
    return STORE_FILES.has(name) ? (file) => this.#files.set(file, { name, isSynchronous }) : undefined;
  }

  #write(file: number, at: number, bytes: Buffer): () => void {
    const id = ++this.#lastWrite;
    const { name, isSynchronous } = this.#files.get(file)!;
    this.events.push({ type: 'write', id, file: name, at, bytes });
    return () => {
      if (isSynchronous) this.events.push({ type: 'durable', id });
    };
  }

  #sync(file: number): (result: number) => void {
    const upTo = this.#lastWrite;
    const { name } = this.#files.get(file)!;
    return (result) => {
      if (result === 0) this.events.push({ type: 'synced', file: name, upTo });
    };
  }
}

/** Returns all string arguments of a call, joined. */
function dataOf(call: string): Buffer {
  const strings = call.match(/"(?:\\x[0-9a-f]{2})*"/g) ?? [];
  return Buffer.from(strings.join('').replaceAll('\\x', '').replaceAll('"', ''), 'hex');
}
