import { may } from '../api/access.ts';
import { discover, type Kind, kindId } from '../api/kinds.ts';
import { pause } from '../state/pause.ts';
import { Store } from '../state/store.ts';
import { collectionOf } from './hub.ts';
import { metadataReader } from './readers.ts';

export interface Catalog {
  readonly kinds: readonly Kind[];
  readonly byId: ReadonlyMap<string, Kind>;
  readonly isLoaded: boolean;
}

export const catalog = new Store<Catalog>({ kinds: [], byId: new Map(), isLoaded: false });

const POLL_MS = 30_000;
const SETTLE_MS = 150;
const RETRY_MS = 1_000;

/** Keeps the catalog true: anew whenever a definition changes, or now and then where those may not be seen. */
export async function followCatalog(): Promise<void> {
  await firstLoad();
  const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
  if (!(await may({ verb: 'watch', kind: definitions }))) {
    window.setInterval(() => void load().catch(() => {}), POLL_MS);
    return;
  }
  const path = `/apis/${definitions.group}/v1/${definitions.resource}`;
  const collection = collectionOf('metadata', { path, reader: metadataReader });
  let timer: number | undefined;
  collection.subscribe(() => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void load().catch(() => {}), SETTLE_MS);
  });
}

/** Tries until the server answers: without kinds the page shows nothing. */
async function firstLoad(): Promise<void> {
  for (;;) {
    try {
      return await load();
    } catch {
      await pause(RETRY_MS);
    }
  }
}

async function load(): Promise<void> {
  const kinds = await discover();
  const before = catalog.get().kinds;
  if (JSON.stringify(before.map(essence)) === JSON.stringify(kinds.map(essence))) return;
  catalog.set({ kinds, byId: new Map(kinds.map((kind) => [kindId(kind), kind])), isLoaded: true });
}

function essence(kind: Kind): unknown {
  return [kindId(kind), kind.versions, kind.isNamespaced];
}
