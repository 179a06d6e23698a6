import { createHash } from 'node:crypto';

/**
 * The queues that a flow may stand in: `handSize` different ones of `queues`, the same at every call. Two flows share all
 * of theirs about as seldom as two players are dealt the same hand, so one that floods its queues leaves nearly every
 * other flow some queue of its own.
 */
export function dealHand(flow: string, queues: number, handSize: number): number[] {
  let rest = createHash('sha256').update(flow).digest().readBigUInt64BE();
  const hand: number[] = [];
  for (let left = queues; hand.length < Math.min(handSize, queues); left--) {
    hand.push(cardAt(hand, Number(rest % BigInt(left))));
    rest /= BigInt(left);
  }
  return hand;
}

/** The card at a place among those that are not in the hand yet. */
function cardAt(hand: readonly number[], place: number): number {
  let card = place;
  for (const taken of [...hand].sort((a, b) => a - b)) if (taken <= card) card++;
  return card;
}
