import type { TransportRequest, TransportResponse } from '@pintle/client';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { RequestFacts } from '../requests/request-facts.ts';
import { whole } from './creations.ts';
import type { TrackedWatch } from './tracked-watch.ts';

/** A server that has taken in one of these says more than that: it serves other things from then on. */
const CONFIGURING = /^(?:apiextensions|apiregistration|admissionregistration)\.k8s\.io$/;
const RESOURCE_VERSION = /"resourceVersion":"(\d+)"/g;

/**
 * Knows what a server elsewhere is about to say: each write comes back by the watches that follow its object. Where that
 * cannot be known, as where others act on what was written, only silence tells that nothing more comes.
 */
export class Echoes {
  /** Nobody but us acts on what is written there. */
  readonly #isAlone: boolean;
  #isUnknown = false;
  #expected: { readonly watch: TrackedWatch; readonly resourceVersion: number }[] = [];

  constructor({ isAlone }: { readonly isAlone: boolean }) {
    this.#isAlone = isAlone;
  }

  /** The server may say more by itself. */
  get areExpected(): boolean {
    this.#expected = this.#expected.filter(
      ({ watch, resourceVersion }) => !watch.isOver && watch.seenResourceVersion < resourceVersion,
    );
    return this.#isUnknown || this.#expected.length > 0;
  }

  /** Anything may come. */
  expectAnything(): void {
    this.#isUnknown = true;
  }

  /** It was silent for long: nothing comes. */
  clear(): void {
    this.#isUnknown = false;
    this.#expected = [];
  }

  /** Looks at an answer, and gives it on. */
  async note(
    { query }: TransportRequest,
    facts: RequestFacts,
    response: TransportResponse,
    watches: Iterable<TrackedWatch>,
  ): Promise<TransportResponse> {
    // The objects that are there come first, then the changes since.
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

/** The newest that is mentioned in a piece of a watch. */
export function newestIn(piece: Uint8Array): number {
  let newest = 0;
  for (const [, digits] of Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    .toString('latin1')
    .matchAll(RESOURCE_VERSION))
    newest = Math.max(newest, Number(digits));
  return newest;
}

/** A watch with a selector may leave the object out: then silence has to tell. */
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
