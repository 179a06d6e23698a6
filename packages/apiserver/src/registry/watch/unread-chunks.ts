import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import type { Release } from '../../request/response-memory.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { LARGE_BYTES } from '../../resource/yield-policy.ts';

interface Held {
  /** Watches whose clients have not taken the chunk. */
  watches: number;
  readonly release: Release;
}

const chunks = new WeakMap<Uint8Array, Held>();

/**
 * Counts a large chunk of a watch against the memory of its client until the returned function is called. Waits for memory, and
 * returns `full` when none is freed in time. A chunk that several watches send is counted once; small ones are not counted,
 * because each watch holds only one.
 */
export function holdChunk(
  chunk: Uint8Array,
  { memory, request }: Pick<RequestContext, 'memory' | 'request'>,
): Eventual<Release | 'full'> {
  if (chunk.length < LARGE_BYTES) return nothing;
  const known = chunks.get(chunk);
  if (known !== undefined) return join(chunk, known);
  const taken = memory.isShared ? memory.take(chunk.length, request) : memory.hold(chunk.length);
  return after(taken, (release) => {
    if (release === 'full') return 'full';
    const other = chunks.get(chunk);
    if (other !== undefined) release();
    const held = other ?? { watches: 0, release };
    chunks.set(chunk, held);
    return join(chunk, held);
  });
}

function nothing(): void {}

function join(chunk: Uint8Array, held: Held): Release {
  held.watches++;
  return () => {
    held.watches--;
    if (held.watches > 0) return;
    chunks.delete(chunk);
    held.release();
  };
}
