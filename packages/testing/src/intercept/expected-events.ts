import type { TransportRequest, TransportResponse } from '@pintle/client';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { RequestFacts } from '../requests/request-facts.ts';
import { whole } from './creations.ts';
import type { TrackedWatch } from './tracked-watch.ts';

/** Groups whose objects change what the server serves, so that a write has more effects than its own event. */
const CONFIGURING = /^(?:apiextensions|apiregistration|admissionregistration)\.k8s\.io$/;
const RESOURCE_VERSION = /"resourceVersion":"(\d+)"/g;

/**
 * Tracks which watch events a server in another process still has to send: each write comes back on the watches of its object.
 * Where that cannot be known, because other programs act on the write, the caller waits until nothing has arrived for a while.
 */
export class ExpectedEvents {
  /** True when no other program acts on what is written to the server. */
  readonly #isAlone: boolean;
  #isUnknown = false;
  #expected: { readonly watch: TrackedWatch; readonly resourceVersion: number }[] = [];

  constructor({ isAlone }: { readonly isAlone: boolean }) {
    this.#isAlone = isAlone;
  }

  /** True when the server may still send events. */
  get arePending(): boolean {
    this.#expected = this.#expected.filter(
      ({ watch, resourceVersion }) => !watch.isOver && watch.seenResourceVersion < resourceVersion,
    );
    return this.#isUnknown || this.#expected.length > 0;
  }

  /** Assumes that events of any kind may come. */
  expectAnything(): void {
    this.#isUnknown = true;
  }

  /** Assumes that no more events come, because the server was silent for long. */
  clear(): void {
    this.#isUnknown = false;
    this.#expected = [];
  }

  /** Notes the events that a response announces, and returns the response. */
  async note(
    { query }: TransportRequest,
    facts: RequestFacts,
    response: TransportResponse,
    watches: Iterable<TrackedWatch>,
  ): Promise<TransportResponse> {
    // A watch may begin with the objects that exist.
    if (facts.verb === 'watch') this.#isUnknown = true;
    if (!facts.isWrite || response.status >= 300) return response;
    const body = await whole(response.body);
    const resourceVersion = resourceVersionIn(body);
    const isPlain = facts.verb !== 'delete' && facts.verb !== 'deletecollection' && !CONFIGURING.test(facts.group);
    if (!this.#isAlone || !isPlain || resourceVersion === undefined || query?.includes('dryRun'))
      this.#isUnknown = true;
    else
      for (const watch of watches) if (mayFollow(watch.facts, facts)) this.#expected.push({ watch, resourceVersion });
    return { ...response, body };
  }
}

/** Returns the newest resourceVersion in a piece of a watch. */
export function newestIn(piece: Uint8Array): number {
  let newest = 0;
  for (const [, digits] of Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    .toString('latin1')
    .matchAll(RESOURCE_VERSION))
    newest = Math.max(newest, Number(digits));
  return newest;
}

/** True when the watch may bring the write. One with a selector may not; then silence decides. */
function mayFollow(watch: RequestFacts, written: RequestFacts): boolean {
  return (
    watch.group === written.group &&
    watch.resource === written.resource &&
    (watch.namespace === '' || watch.namespace === written.namespace)
  );
}

function resourceVersionIn(body: Uint8Array): number | undefined {
  try {
    const object = parseJson(body, trustedLimits);
    const metadata = isJsonObject(object) ? object.metadata : undefined;
    const text = isJsonObject(metadata) ? metadata.resourceVersion : undefined;
    return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
