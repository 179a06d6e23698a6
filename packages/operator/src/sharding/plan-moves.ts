import type { ShardSlot } from '@pintle/machinery/selectors';
import { SHARD_SLOTS } from '@pintle/machinery/selectors';

/** Map without owners. */
export function emptyMap(): readonly ShardSlot[] {
  return Array.from({ length: SHARD_SLOTS }, () => ({ owner: '', epoch: 0, target: '', isDraining: false }));
}

/**
 * Returns the next map for these live members; `undefined` when nothing is to be done.
 *
 * - Slots without a live owner get one at once, in the next epoch: their target if it lives, else the member with the fewest.
 * - Moves to members that are gone are cancelled.
 * - Members with too many slots give some away, with as few moves as possible. Adjacent slots move together, because they are
 *   one range of a selector.
 */
export function nextMap(slots: readonly ShardSlot[], live: ReadonlySet<string>): readonly ShardSlot[] | undefined {
  if (live.size === 0) return undefined;
  const next = slots.map((slot) => withLiveNames(slot, live));
  const counts = new Map([...live].map((member) => [member, 0]));
  const count = (member: string, by: number): void => void counts.set(member, (counts.get(member) ?? 0) + by);
  for (const { owner, target } of next) if (owner !== '') count(target || owner, 1);
  const quotas = quotasOf(counts);
  const wanting = (): string | undefined =>
    [...counts.keys()].filter((member) => counts.get(member)! < quotas.get(member)!).sort()[0];
  for (const [index, slot] of next.entries()) {
    if (slot.owner !== '') continue;
    const owner = slot.target || wanting()!;
    count(owner, 1);
    next[index] = { owner, epoch: slot.epoch + 1, target: '', isDraining: false };
  }
  for (let index = next.length - 1; index >= 0; index--) {
    const slot = next[index]!;
    if (slot.target !== '' || counts.get(slot.owner)! <= quotas.get(slot.owner)!) continue;
    const target = wanting();
    if (target === undefined) break;
    count(slot.owner, -1);
    count(target, 1);
    next[index] = { ...slot, target };
  }
  return next.every((slot, index) => isSame(slot, slots[index]!)) ? undefined : next;
}

function withLiveNames(slot: ShardSlot, live: ReadonlySet<string>): ShardSlot {
  const target = live.has(slot.target) ? slot.target : '';
  if (!live.has(slot.owner)) return { ...slot, owner: '', target: '', isDraining: false, ...(target && { target }) };
  return { ...slot, target, isDraining: slot.isDraining && target !== '' };
}

/** Divides the slots evenly; the members with the most slots keep the remainder. */
function quotasOf(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const members = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const each = Math.floor(SHARD_SLOTS / members.length);
  const odd = SHARD_SLOTS % members.length;
  return new Map(members.map(([member], index) => [member, each + (index < odd ? 1 : 0)]));
}

function isSame(a: ShardSlot, b: ShardSlot): boolean {
  return a.owner === b.owner && a.epoch === b.epoch && a.target === b.target && a.isDraining === b.isDraining;
}
