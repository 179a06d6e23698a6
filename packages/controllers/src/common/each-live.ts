import type { Client, ListOptions } from '@pintle/client';
import { FIRST_PAGE_SIZE, pageSizeAfter } from '@pintle/client';
import type { KubernetesList, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';

/**
 * Yields the objects of the server, in pages whose size follows that of the objects: in the process of the server, a page of many
 * large objects would block every other request while it is parsed.
 */
export async function* eachLive<T extends KubernetesObject, S extends Scope = Scope>(
  client: Pick<Client, 'list'>,
  type: ResourceType<T, S>,
  options: Omit<ListOptions, 'limit' | 'continue'> = {},
): AsyncGenerator<Stored<T, S>, void> {
  for (let limit = FIRST_PAGE_SIZE, next: string | undefined = ''; next !== undefined; ) {
    const page: KubernetesList<Stored<T, S>> = await client.list(type, {
      ...options,
      limit,
      ...(next && { continue: next }),
    });
    yield* page.items;
    limit = pageSizeAfter(page.items);
    next = page.metadata.continue || undefined;
  }
}
