import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import type { Store } from '@pintle/store';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import { beginsWithAll } from '../request/request-info.ts';
import { collectionRange } from '../storage/keys.ts';

/** One seat is as much work as showing so many objects. */
const OBJECTS_PER_SEAT = 100;
/** Seats of documents about the whole API: they are long, and the first who asks has them made. */
const DOCUMENT_SEATS = 5;
/** A count is good for so long: a list is not so much harder for what came meanwhile. */
const COUNT_MS = 10_000;
const MAX_COUNTS = 1_000;

interface Count {
  readonly objects: number;
  readonly atMs: number;
}

/** How many seats requests take. All take one, but those that show many objects, or tell of everything at once. */
export class WorkEstimator {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #catalog: DiscoveryCatalog;
  readonly #counts = new BoundedCache<Count>(MAX_COUNTS);

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly catalog: DiscoveryCatalog }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#catalog = options.catalog;
  }

  /** A promise only when a collection is counted that was not counted lately. */
  seatsFor({ info, query }: RequestState, maxSeats: number): number | Promise<number> {
    if (maxSeats === 1) return 1;
    if (info.kind === 'path') return isLongDocument(info.path) ? Math.min(maxSeats, DOCUMENT_SEATS) : 1;
    if (!showsMany(info, query)) return 1;
    const seats = (objects: number): number =>
      Math.max(1, Math.min(maxSeats, Math.ceil(shownOf(objects, query) / OBJECTS_PER_SEAT)));
    const objects = this.#count(info);
    return typeof objects === 'number' ? seats(objects) : objects.then(seats);
  }

  #count(info: ResourceRequest): number | Promise<number> {
    const stored = this.#catalog.resource(info)?.storedAs;
    if (stored === undefined) return 0;
    const key = `${stored.group}/${info.resource}/${info.namespace}`;
    const known = this.#counts.get(key);
    if (known !== undefined && this.#clock.monotonic() - known.atMs < COUNT_MS) return known.objects;
    return this.#countAgain(key, stored.group, info);
  }

  /** What cannot be counted cannot be listed either, and says so then. */
  async #countAgain(key: string, group: string, { resource, namespace }: ResourceRequest): Promise<number> {
    const atMs = this.#clock.monotonic();
    const objects = await this.#store.count(collectionRange({ group, resource }, namespace)).catch(() => 0);
    this.#counts.set(key, { objects, atMs });
    return objects;
  }
}

function isLongDocument(path: string): boolean {
  return path.startsWith('/openapi/') || path === '/metrics';
}

/** Lists, and watches that begin with what is there; those of one named object show no more than that. */
function showsMany(info: ResourceRequest, query: URLSearchParams): boolean {
  if (info.authorizedName !== '') return false;
  return info.verb === 'list' || info.verb === 'deletecollection' || (info.verb === 'watch' && beginsWithAll(query));
}

/** A page takes as long as its size; behind a selector, everything may have to be looked at. */
function shownOf(objects: number, query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 0);
  const isPage = limit > 0 && query.get('resourceVersion') !== '0';
  const isSelected = Boolean(query.get('labelSelector') || query.get('fieldSelector'));
  return isPage && !isSelected ? Math.min(limit, objects) : objects;
}
