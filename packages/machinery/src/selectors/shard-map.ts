import { SHARD_SLOTS } from './shard-selector.ts';

/** Label of the ConfigMaps that hold a shard map. Its value is the name of the operator's shards. */
export const SHARD_MAP_LABEL = 'pintle.dev/shard-map';
/** Key of the map in the data of its ConfigMap. */
export const SHARD_MAP_KEY = 'slots';
/** Header of a fenced write: `namespace/name/slot/epoch`. */
export const FENCE_HEADER = 'pintle-fence';

/** Owner of a slot, and the member to which it moves. */
export interface ShardSlot {
  /** Empty: none. */
  readonly owner: string;
  /** Grows whenever the owner changes. A write with another epoch is refused. */
  readonly epoch: number;
  /** Member that takes the slot over. Empty: none. */
  readonly target: string;
  /** True once the target is warm: the owner finishes its work and starts nothing new. */
  readonly isDraining: boolean;
}

const MAX_TEXT = 128 * 1024;
const MAX_NAME = 253;

/**
 * Formats a map, with one line for adjacent slots that are equal:
 *
 *     00-3f pod-a 4          owned by pod-a, in epoch 4
 *     40-47 pod-a~pod-b 4    owned by pod-a; pod-b reads its objects
 *     48-4f pod-a>pod-b 4    pod-b is warm; pod-a finishes what runs
 *     50-ff - 0              not owned
 */
export function formatShardMap(slots: readonly ShardSlot[]): string {
  const lines: string[] = [];
  for (let first = 0; first < slots.length; ) {
    let last = first;
    const text = slotText(slots[first]!);
    while (last + 1 < slots.length && slotText(slots[last + 1]!) === text) last++;
    lines.push(`${hex(first)}-${hex(last)} ${text}\n`);
    first = last + 1;
  }
  return lines.join('');
}

function slotText({ owner, epoch, target, isDraining }: ShardSlot): string {
  const move = target === '' ? '' : `${isDraining ? '>' : '~'}${target}`;
  return `${owner === '' ? '-' : owner}${move} ${epoch}`;
}

function hex(slot: number): string {
  return slot.toString(16).padStart(2, '0');
}

/** Parses a map. Returns `undefined` unless the text has every slot once and in order. */
export function parseShardMap(text: string): readonly ShardSlot[] | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const slots: ShardSlot[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [range = '', names = '', number = '', ...rest] = line.split(' ');
    const bounds = /^([\da-f]{2})-([\da-f]{2})$/.exec(range);
    const slot = parseSlot(names, number);
    if (bounds === null || slot === undefined || rest.length > 0) return undefined;
    const [first, last] = [Number.parseInt(bounds[1]!, 16), Number.parseInt(bounds[2]!, 16)];
    if (first !== slots.length || last < first) return undefined;
    while (slots.length <= last) slots.push(slot);
  }
  return slots.length === SHARD_SLOTS ? slots : undefined;
}

function parseSlot(names: string, number: string): ShardSlot | undefined {
  const found = /^([^~>]*)(?:([~>])([^~>]+))?$/.exec(names);
  if (found === null || names.length > 2 * MAX_NAME || !/^\d{1,15}$/.test(number)) return undefined;
  const [, owner = '', move, target = ''] = found;
  if (owner === '') return undefined;
  return { owner: owner === '-' ? '' : owner, epoch: Number(number), target, isDraining: move === '>' };
}

/** Fence of a write. */
export interface ShardFence {
  readonly namespace: string;
  readonly name: string;
  readonly slot: number;
  readonly epoch: number;
}

export function formatFence({ namespace, name, slot, epoch }: ShardFence): string {
  return `${namespace}/${name}/${slot}/${epoch}`;
}

/** Returns `undefined` for a text that is no fence. */
export function parseFence(text: string): ShardFence | undefined {
  const [namespace = '', name = '', slot = '', epoch = '', ...rest] = text.split('/');
  const isNumber = /^\d{1,3}$/.test(slot) && Number(slot) < SHARD_SLOTS && /^\d{1,15}$/.test(epoch);
  if (!isNumber || rest.length > 0 || !isName(namespace) || !isName(name)) return undefined;
  return { namespace, name, slot: Number(slot), epoch: Number(epoch) };
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME && /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(text);
}
