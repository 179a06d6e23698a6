import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import { isNotFound, statusErrorOf } from '@pintle/machinery/errors';
import type { RequestEntry, RequestLog } from '../wire/request-log.ts';

/** So long a cluster may take to let go of what a test made: namespaces and definitions take some seconds. */
const GONE_WITHIN_MS = 60_000;
const POLL_MS = 50;

/**
 * Deletes what came into being through the plane, whoever made it, the last first, and waits until it is gone: the next
 * test may use the same names. Nobody runs any more who could take finalizers away, so they are taken away here.
 */
export async function removeLeftovers(client: Client, log: RequestLog): Promise<void> {
  const paths = new Set(log.all().flatMap((entry) => createdBy(entry) ?? []));
  const remaining = [...paths].reverse();
  for (const path of remaining) await remove(client, path);
  for (const path of remaining) await untilGone(client, path);
}

/** The path of the object that a request created. */
function createdBy({ path, verb, name, subresource, status, body }: RequestEntry): string | undefined {
  if (status !== 201 || subresource !== '') return undefined;
  if (verb !== 'create') return path;
  const named = name || (body as unknown as KubernetesObject | undefined)?.metadata?.name;
  return named === undefined || named === '' ? undefined : `${path}/${encodeURIComponent(named)}`;
}

async function remove(client: Client, path: string): Promise<void> {
  const query = 'propagationPolicy=Background&gracePeriodSeconds=0';
  try {
    await client.call({ method: 'DELETE', path, query });
  } catch (error) {
    // What cannot be deleted (reviews, tokens) was never kept.
    if (isNotFound(error) || statusErrorOf(error)?.code === 405) return;
    throw error;
  }
  await releaseHeld(client, path);
}

async function releaseHeld(client: Client, path: string): Promise<void> {
  const held = await find(client, path);
  if (!held?.metadata.finalizers?.length || path.includes('/customresourcedefinitions/')) return;
  const headers = { 'content-type': 'application/merge-patch+json' };
  const body = Buffer.from('{"metadata":{"finalizers":null}}');
  await client.call({ method: 'PATCH', path, headers, body }).catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

async function untilGone(client: Client, path: string): Promise<void> {
  const limitMs = realClock.monotonic() + GONE_WITHIN_MS;
  while ((await find(client, path))?.metadata.deletionTimestamp !== undefined) {
    if (realClock.monotonic() > limitMs) throw new Error(`${path} is still there after ${GONE_WITHIN_MS} ms`);
    await realClock.sleep(POLL_MS);
  }
}

async function find(client: Client, path: string): Promise<KubernetesObject | undefined> {
  try {
    return (await client.call({ method: 'GET', path })) as unknown as KubernetesObject;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
