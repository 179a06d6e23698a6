import type { ObjectMeta } from '../meta/object-meta.ts';

/** Fields by whose hash objects are divided into shards. Only Pintle has the last one. */
export const SHARD_FIELDS = [
  'object.metadata.uid',
  'object.metadata.namespace',
  'object.metadata.controller.uid',
] as const;

export type ShardField = (typeof SHARD_FIELDS)[number];

/** Hash of 64 bits, as two numbers of 32 bits. */
export interface ShardHash {
  readonly high: number;
  readonly low: number;
}

/** Range of hashes. Bounds are `0x` and 16 digits, or `0x10000000000000000` for the end of all. */
export interface ShardRange {
  readonly start: string;
  /** Not part of the range. */
  readonly end: string;
}

/** Label with the uid of an owner in another namespace, where an owner reference is not allowed. */
export const OWNER_UID_LABEL = 'pintle.dev/owner-uid';

interface Bounds {
  readonly start: ShardHash;
  /** `undefined`: up to the last hash. */
  readonly end: ShardHash | undefined;
}

/** Selects the objects whose hash of one field is in one of the ranges (KEP-5866). */
export class ShardSelector {
  readonly field: ShardField;
  readonly ranges: readonly ShardRange[];
  readonly #bounds: readonly Bounds[];

  constructor(field: ShardField, ranges: readonly ShardRange[]) {
    this.field = field;
    this.ranges = ranges;
    this.#bounds = ranges.map(({ start, end }) => ({
      start: hashAt(start),
      end: end.length > MAX_DIGITS ? undefined : hashAt(end),
    }));
  }

  hasHash(hash: ShardHash): boolean {
    return this.#bounds.some(({ start, end }) => !isBefore(hash, start) && (end === undefined || isBefore(hash, end)));
  }

  matches(metadata: ObjectMeta): boolean {
    return this.hasHash(shardHash(shardValue(metadata, this.field)));
  }

  /** Returns the text that a server parses to the same selector. */
  toString(): string {
    return this.ranges.map(({ start, end }) => `shardRange(${this.field}, '${start}', '${end}')`).join(' || ');
  }
}

/** Length of `0x` and 16 digits. */
const MAX_DIGITS = 18;

function hashAt(text: string): ShardHash {
  return { high: Number.parseInt(text.slice(2, 10), 16), low: Number.parseInt(text.slice(10), 16) };
}

function isBefore(a: ShardHash, b: ShardHash): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}

/** Returns the value that is hashed. */
export function shardValue(metadata: ObjectMeta, field: ShardField): string {
  switch (field) {
    case 'object.metadata.uid':
      return metadata.uid ?? '';
    case 'object.metadata.namespace':
      return metadata.namespace ?? '';
    case 'object.metadata.controller.uid':
      return controllerUid(metadata);
  }
}

/** Returns the uid of the controlling owner, else of the owner in the label, else of the object itself. */
function controllerUid({ ownerReferences, labels, uid = '' }: ObjectMeta): string {
  const controller = ownerReferences?.find((reference) => reference.controller === true);
  return controller?.uid || labels?.[OWNER_UID_LABEL] || uid;
}

/** FNV-1a of 64 bits over the UTF-8 of a text. Multiplies limbs of 16 bits: bigints take 25 times as long. */
export function shardHash(text: string): ShardHash {
  let [h3, h2, h1, h0] = [0xcbf2, 0x9ce4, 0x8422, 0x2325];
  const add = (byte: number): void => {
    h0 ^= byte;
    // The prime is 2^40 + 0x1b3.
    const t0 = h0 * 0x1b3;
    const t1 = h1 * 0x1b3 + (t0 >>> 16);
    const t2 = h2 * 0x1b3 + (h0 << 8) + (t1 >>> 16);
    const t3 = h3 * 0x1b3 + (h1 << 8) + (t2 >>> 16);
    h0 = t0 & 0xffff;
    h1 = t1 & 0xffff;
    h2 = t2 & 0xffff;
    h3 = t3 & 0xffff;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) add(code);
    else {
      for (const byte of new TextEncoder().encode(text.slice(at))) add(byte);
      break;
    }
  }
  return { high: ((h3 << 16) | h2) >>> 0, low: ((h1 << 16) | h0) >>> 0 };
}

/** Slots into which the hashes are divided: by their first byte. */
export const SHARD_SLOTS = 256;

export function shardSlot({ high }: ShardHash): number {
  return high >>> 24;
}

/** Returns a selector of whole slots; adjacent slots are one range. */
export function slotSelector(field: ShardField, slots: Iterable<number>): ShardSelector {
  const ranges: { start: string; end: string }[] = [];
  let last = -2;
  for (const slot of [...slots].sort((a, b) => a - b)) {
    if (slot === last + 1) ranges[ranges.length - 1]!.end = slotBound(slot + 1);
    else if (slot !== last) ranges.push({ start: slotBound(slot), end: slotBound(slot + 1) });
    last = slot;
  }
  return new ShardSelector(field, ranges);
}

/** Returns the first hash of a slot. */
function slotBound(slot: number): string {
  return `0x${slot.toString(16).padStart(2, '0')}${'0'.repeat(14)}`;
}
