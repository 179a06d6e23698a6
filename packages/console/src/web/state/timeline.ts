import { may } from '../api/access.ts';
import { ApiError, api, METADATA_LIST_TYPE } from '../api/http.ts';
import { place } from './router.ts';
import { Store } from './store.ts';

/** Known part of the server's history. */
export interface Timeline {
  /** The first revision that can be shown; 0 until it has been asked for. */
  readonly oldest: number;
  readonly newest: number;
  /** Moments of revisions, in order: not all, but enough to tell the time of any. */
  readonly stamps: readonly Stamp[];
}

export interface Stamp {
  readonly revision: number;
  readonly ms: number;
}

/** Beyond so many, every second of the older ones is forgotten. */
const MAX_STAMPS = 4000;

export const timeline = new Store<Timeline>({ oldest: 0, newest: 0, stamps: [] });

let pending: Stamp[] = [];
let newest = 0;
let isFlushing = false;

/** Takes note of a revision and, where it is known, when it was written. */
export function observeRevision(revision: number, ms?: number): void {
  if (!Number.isFinite(revision) || revision <= 0) return;
  if (revision > newest) newest = revision;
  else if (ms === undefined) return;
  if (ms !== undefined && ms > 0) pending.push({ revision, ms });
  if (!isFlushing) window.setTimeout(flush, 250);
  isFlushing = true;
}

function flush(): void {
  isFlushing = false;
  const { stamps, oldest } = timeline.get();
  const merged = new Map<number, number>();
  for (const { revision, ms } of [...stamps, ...pending]) merged.set(revision, merged.get(revision) ?? ms);
  pending = [];
  let sorted = [...merged].map(([revision, ms]) => ({ revision, ms })).sort((a, b) => a.revision - b.revision);
  if (sorted.length > MAX_STAMPS) sorted = sorted.filter((_, index) => index % 2 === 0 || index > MAX_STAMPS / 2);
  timeline.set({ oldest, newest, stamps: sorted });
}

/** When a revision was written, between those that are known. */
export function timeOf({ stamps }: Timeline, revision: number): number | undefined {
  if (stamps.length === 0) return undefined;
  let low = 0;
  let high = stamps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (stamps[middle]!.revision <= revision) low = middle;
    else high = middle - 1;
  }
  return stamps[low]!.ms;
}

let search: Promise<void> | undefined;

/** Finds where history begins, by asking for ever fewer candidates. The place moves on as the server forgets. */
export function findOldest(): Promise<void> {
  search ??= seek().finally(() => {
    search = undefined;
  });
  return search;
}

async function seek(): Promise<void> {
  const path = await probePath();
  if (path === undefined) return;
  let low = Math.max(1, timeline.get().oldest);
  let high = newest;
  if (high === 0 || (await isKept(path, low))) return setOldest(low);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (await isKept(path, middle)) high = middle;
    else low = middle;
  }
  setOldest(high);
}

function setOldest(oldest: number): void {
  timeline.set({ ...timeline.get(), oldest });
}

/** Kinds of which one list is asked for at a revision: all have one history. */
const PROBED = ['configmaps', 'pods', 'serviceaccounts', 'services'];

/** Returns a list that the user may see; `undefined` when the user may see none of them. */
async function probePath(): Promise<string | undefined> {
  const all = { group: '', resource: 'namespaces' };
  if (await may({ verb: 'list', kind: all })) return '/api/v1/namespaces';
  const { ns: namespace } = place.get().query;
  if (namespace === undefined) return undefined;
  for (const resource of PROBED) {
    if (await may({ verb: 'list', kind: { group: '', resource }, namespace }))
      return `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  }
  return undefined;
}

async function isKept(path: string, revision: number): Promise<boolean> {
  try {
    await api(path, {
      accept: METADATA_LIST_TYPE,
      query: { limit: '1', resourceVersion: `${revision}`, resourceVersionMatch: 'Exact' },
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 410) return false;
    throw error;
  }
}
