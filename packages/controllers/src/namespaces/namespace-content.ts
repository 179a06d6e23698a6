import type { Client, DiscoveredResource } from '@pintle/client';
import { resourcePath } from '@pintle/client';
import type { KubernetesList, ObjectMeta } from '@pintle/machinery';
import { hasReason, ignoring, isNotFound } from '@pintle/machinery/errors';

/** Content that remains in a namespace after the deletion of everything was requested. */
export interface RemainingContent {
  readonly count: number;
  /** `configmaps.` → 2 */
  readonly byResource: ReadonlyMap<string, number>;
  readonly byFinalizer: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
/** Resources that are deleted at the same time. */
const CONCURRENCY = 8;

/**
 * Deletes everything in the namespace and returns what remains. Pods are deleted first: while one remains, nothing else
 * is deleted, and only its presence is reported.
 */
export async function deleteContent(
  client: Client,
  namespace: string,
  resources: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<RemainingContent> {
  const pods = await deleteTogether(client, namespace, resources.filter(isPods), signal);
  if (pods.count > 0) return { ...pods, byResource: new Map(), byFinalizer: new Map() };
  const others = resources.filter((resource) => !isPods(resource));
  const rest = await deleteTogether(client, namespace, others, signal);
  return { ...rest, failures: [...pods.failures, ...rest.failures] };
}

function isPods({ type }: DiscoveredResource): boolean {
  return type.group === '' && type.plural === 'pods';
}

async function deleteTogether(
  client: Client,
  namespace: string,
  resources: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<RemainingContent> {
  const byResource = new Map<string, number>();
  const byFinalizer = new Map<string, number>();
  const failures: string[] = [];
  let count = 0;
  for (let start = 0; start < resources.length; start += CONCURRENCY) {
    await Promise.all(
      resources.slice(start, start + CONCURRENCY).map(async (resource) => {
        const { type } = resource;
        try {
          const left = await deleteAll(client, namespace, resource, signal);
          if (left.length === 0) return;
          count += left.length;
          byResource.set(`${type.plural}.${type.group}`, left.length);
          for (const name of left.flatMap(({ finalizers = [] }) => finalizers))
            byFinalizer.set(name, (byFinalizer.get(name) ?? 0) + 1);
        } catch (error) {
          if (signal.aborted) throw error;
          if (!isNotFound(error) && !hasReason(error, 'MethodNotAllowed'))
            failures.push(error instanceof Error ? error.message : String(error));
        }
      }),
    );
  }
  return { count, byResource, byFinalizer, failures };
}

async function deleteAll(
  client: Client,
  namespace: string,
  { type, verbs }: DiscoveredResource,
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const list = async (): Promise<readonly ObjectMeta[]> => {
    const request = { method: 'GET', path: resourcePath(type, { namespace }), headers: { accept: METADATA_ONLY } };
    const { items } = (await client.call(request, { signal })) as { items: KubernetesList['items'] | null };
    return (items ?? []).map(({ metadata }) => metadata);
  };
  const options = { propagationPolicy: 'Background', signal } as const;
  if (verbs.has('deletecollection')) {
    // Also when the list is empty: a list omits damaged objects, which this deletes.
    await client.deleteAll(type, { namespace, ...options });
    return await list();
  }
  const found = await list();
  for (const { name = '' } of found)
    await client.delete(type, { namespace, name }, options).catch(ignoring(isNotFound));
  return found.length === 0 ? found : await list();
}
