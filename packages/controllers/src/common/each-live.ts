import type { Client, ListOptions } from '@pintle/client';
import type { KubernetesList, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { estimateJsonBytes, type JsonValue } from '@pintle/machinery/json';

/** Bytes of JSON that a page should have: what is parsed in one turn of the event loop. */
const PAGE_BYTES = 256 * 1024;
const MAX_PAGE = 500;
const FIRST_PAGE = 4;

/**
 * Yields the objects of the server, in pages whose size follows that of the objects: in the process of the server, a page of many
 * large objects would block every other request while it is parsed.
 */
export async function* eachLive<T extends KubernetesObject, S extends Scope = Scope>(
  client: Pick<Client, 'list'>,
  type: ResourceType<T, S>,
  options: Omit<ListOptions, 'limit' | 'continue'> = {},
): AsyncGenerator<Stored<T, S>, void> {
  for (let limit = FIRST_PAGE, next: string | undefined = ''; next !== undefined; ) {
    const page: KubernetesList<Stored<T, S>> = await client.list(type, {
      ...options,
      limit,
      ...(next && { continue: next }),
    });
    yield* page.items;
    limit = nextLimit(page.items);
    next = page.metadata.continue || undefined;
  }
}

function nextLimit(items: readonly object[]): number {
  let bytes = 0;
  for (const item of items) bytes += estimateJsonBytes(item as JsonValue, PAGE_BYTES);
  const fitting = Math.floor((PAGE_BYTES * items.length) / Math.max(1, bytes));
  return Math.min(MAX_PAGE, Math.max(1, fitting));
}
