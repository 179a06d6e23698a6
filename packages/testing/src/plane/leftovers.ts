import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import { ignoring, isNotFound, statusErrorOf } from '@pintle/machinery/errors';

/** Limit for a cluster to delete the objects of a test. Namespaces and definitions take some seconds. */
const GONE_WITHIN_MS = 60_000;
const POLL_MS = 50;
const WEBHOOKS = '/apis/admissionregistration.k8s.io/';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/';

/**
 * Deletes the objects at the paths, last first, and waits until they are gone, because the next test may use the same names.
 * Returns descriptions of those that could not be deleted. The operators have stopped by now: so webhooks are deleted first,
 * conversions are switched off, and finalizers are removed here.
 */
export async function removeLeftovers(client: Client, paths: readonly string[]): Promise<string[]> {
  const complaints: string[] = [];
  const each = async (chosen: readonly string[], act: (client: Client, path: string) => Promise<void>) => {
    for (const path of chosen)
      await act(client, path).catch((error: unknown) => complaints.push(`Cannot remove ${path}: ${String(error)}`));
  };
  const remaining = [...paths].reverse();
  const webhooks = remaining.filter((path) => path.startsWith(WEBHOOKS));
  const definitions = remaining.filter((path) => path.startsWith(DEFINITIONS));
  await each(webhooks, remove);
  await each(definitions, stopConversion);
  await each(
    remaining.filter((path) => !path.startsWith(WEBHOOKS)),
    remove,
  );
  await each(remaining, untilGone);
  return complaints;
}

/** Returns the paths of objects that were created before a moment. Younger objects belong to another process. */
export async function createdBefore(client: Client, paths: readonly string[], limitMs: number): Promise<string[]> {
  const older: string[] = [];
  for (const path of paths) {
    const found = await find(client, path);
    if (Date.parse(found?.metadata.creationTimestamp ?? '') < limitMs) older.push(path);
  }
  return older;
}

async function remove(client: Client, path: string): Promise<void> {
  const query = 'propagationPolicy=Background&gracePeriodSeconds=0';
  try {
    await client.call({ method: 'DELETE', path, query });
  } catch (error) {
    // Kinds without delete are not stored; an object that is being deleted is waited for.
    if (isNotFound(error) || [405, 409].includes(statusErrorOf(error)?.code ?? 0)) return;
    throw error;
  }
  await releaseHeld(client, path);
}

async function stopConversion(client: Client, path: string): Promise<void> {
  await merge(client, path, { spec: { conversion: { strategy: 'None', webhook: null } } });
}

async function releaseHeld(client: Client, path: string): Promise<void> {
  const held = await find(client, path);
  if (!held?.metadata.finalizers?.length || path.startsWith(DEFINITIONS)) return;
  await merge(client, path, { metadata: { finalizers: null } });
}

async function merge(client: Client, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  await client
    .call({ method: 'PATCH', path, headers, body: Buffer.from(JSON.stringify(body)) })
    .catch(ignoring(isNotFound));
}

async function untilGone(client: Client, path: string): Promise<void> {
  const limitMs = realClock.monotonic() + GONE_WITHIN_MS;
  while ((await find(client, path))?.metadata.deletionTimestamp !== undefined) {
    if (realClock.monotonic() > limitMs) throw new Error(`still exists after ${GONE_WITHIN_MS} ms`);
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
