/** An entry of an archive. It has no owner and no time, so that the same files give the same archive. */
export type TarEntry =
  | { readonly type: 'file'; readonly path: string; readonly isExecutable: boolean; read(): Uint8Array }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'link'; readonly path: string; readonly target: string };

const BLOCK = 512;
const NAME_BYTES = 100;
const TYPES = { file: '0', folder: '5', link: '2', extended: 'x' } as const;

/** Yields the bytes of an archive, in the order of `entries`. The same entries always give the same bytes. */
export function* tarChunks(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    const bytes = entry.type === 'file' ? entry.read() : EMPTY;
    yield* headers(entry, bytes.length);
    if (bytes.length > 0) yield* padded(bytes);
  }
  yield new Uint8Array(2 * BLOCK);
}

const EMPTY = new Uint8Array();

/** Yields the header of an entry, after a pax header for names that are too long or not ASCII. */
function* headers(entry: TarEntry, size: number): Generator<Uint8Array> {
  const path = entry.type === 'folder' ? `${entry.path.replace(/\/$/, '')}/` : entry.path;
  const target = entry.type === 'link' ? entry.target : '';
  const records = [
    ...(fits(path) ? [] : [paxRecord('path', path)]),
    ...(fits(target) ? [] : [paxRecord('linkpath', target)]),
  ];
  if (records.length > 0) {
    const bytes = Buffer.concat(records);
    yield header({ path: 'PaxHeaders/entry', mode: 0o644, size: bytes.length, type: TYPES.extended, target: '' });
    yield* padded(bytes);
  }
  const mode = entry.type === 'link' ? 0o777 : entry.type === 'folder' || entry.isExecutable ? 0o755 : 0o644;
  yield header({ path, mode, size, type: TYPES[entry.type], target });
}

function fits(name: string): boolean {
  return Buffer.byteLength(name) <= NAME_BYTES && /^[\x20-\x7e]*$/.test(name);
}

/** Returns a pax record, which begins with its length; the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + `${bytes}`.length;
  if (`${length}`.length > `${bytes}`.length) length = bytes + `${length}`.length;
  return Buffer.from(`${length}${rest}`);
}

interface Header {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly target: string;
}

function header({ path, mode, size, type, target }: Header): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.write(shortened(path), 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(shortened(target), 157);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Shortens a name for programs that do not read pax headers. */
function shortened(name: string): string {
  return fits(name) ? name : name.replace(/[^\x20-\x7e]/g, '_').slice(-NAME_BYTES);
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function* padded(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const rest = bytes.length % BLOCK;
  if (rest > 0) yield new Uint8Array(BLOCK - rest);
}
