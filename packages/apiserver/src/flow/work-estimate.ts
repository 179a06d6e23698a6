import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import type { Store } from '@pintle/store';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import { beginsWithAll } from '../request/request-info.ts';
import { collectionRange } from '../storage/keys.ts';

/** Objects in a response that count as one seat. */
const OBJECTS_PER_SEAT = 100;
/** Seats of requests for OpenAPI and metrics, which are long and expensive to produce. */
const DOCUMENT_SEATS = 5;
/** Time for which a count of objects is cached. */
const COUNT_MS = 10_000;
const MAX_COUNTS = 1_000;

interface Count {
  readonly objects: number;
  readonly atMs: number;
}

/** Estimates the seats of requests: one, and more for lists of many objects and for long documents. */
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

  /** Returns a promise only when a collection has to be counted. */
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

  /** Counts errors as 0: the list itself reports them. */
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

/** True for lists, and for watches with initial objects, of more than one named object. */
function showsMany(info: ResourceRequest, query: URLSearchParams): boolean {
  if (info.authorizedName !== '') return false;
  return info.verb === 'list' || info.verb === 'deletecollection' || (info.verb === 'watch' && beginsWithAll(query));
}

/** Returns the objects that are read: of a page its size, but all of them with a selector. */
function shownOf(objects: number, query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 0);
  const isPage = limit > 0 && query.get('resourceVersion') !== '0';
  const isSelected = ['labelSelector', 'fieldSelector', 'shardSelector'].some((option) => query.get(option));
  return isPage && !isSelected ? Math.min(limit, objects) : objects;
}
