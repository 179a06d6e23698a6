import type { CachedClient } from '@pintle/client';
import { ConfigMap, Pod, Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';
import { Controller } from '@pintle/operator';
import { eachLive } from '../common/each-live.ts';
import { ACCOUNT_NAME, TOKEN_SECRETS, TOKEN_TYPE } from '../token-secrets/known-token-secrets.ts';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const TRACKING = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
const DAY_MS = 86_400_000;
/** Time without use after which a token is marked invalid, and after that deleted. */
const UNUSED_MS = 365 * DAY_MS;

/**
 * Marks auto-generated service account tokens invalid, and later deletes them, when they are not used. Tokens in
 * Secrets that users created are kept.
 */
export function addLegacyTokenCleaner(manager: Manager): Controller {
  const controller = new Controller(
    manager,
    { name: 'legacy-serviceaccount-token-cleaner' },
    async ({ namespace, name }, { client, clock }) => {
      const secret = await client.live.find(Secret, { namespace, name });
      if (secret === undefined || secret.type !== TOKEN_TYPE || !(await isAutomatic(client, secret))) return undefined;
      const sinceMs = await trackedSinceMs(client);
      if (sinceMs !== undefined) await clean(client, secret, sinceMs, clock.now());
      return { requeueAfterMs: DAY_MS };
    },
  );
  controller.watch(Secret, undefined, { select: TOKEN_SECRETS });
  manager.add(controller);
  return controller;
}

/** True when the service account lists the Secret, which only the controller that generated it did. */
async function isAutomatic(client: CachedClient, { metadata }: Secret): Promise<boolean> {
  const { namespace, name, annotations } = metadata;
  const account = await client.live.find(ServiceAccount, { namespace, name: annotations?.[ACCOUNT_NAME] ?? '' });
  return account?.secrets?.some((reference) => reference.name === name) ?? false;
}

/** Returns since when the use of tokens is tracked. */
async function trackedSinceMs(client: CachedClient): Promise<number | undefined> {
  const tracking = await client.live.find(ConfigMap, TRACKING);
  const sinceMs = Date.parse(tracking?.data?.since ?? '');
  return Number.isNaN(sinceMs) ? undefined : sinceMs;
}

async function clean(client: CachedClient, secret: Secret, sinceMs: number, nowMs: number): Promise<void> {
  const { labels = {} } = secret.metadata;
  const usedMs = Date.parse(labels[LAST_USED] ?? '') || 0;
  if (Math.max(usedMs, sinceMs) + UNUSED_MS > nowMs || (await isMounted(client, secret))) return;
  const invalidMs = Date.parse(labels[INVALID_SINCE] ?? '');
  try {
    if (Number.isNaN(invalidMs)) {
      const marked = { ...labels, [INVALID_SINCE]: formatTime(nowMs).slice(0, 10) };
      await client.update(Secret, { ...secret, metadata: { ...secret.metadata, labels: marked } });
    } else if (invalidMs + UNUSED_MS <= nowMs && usedMs <= invalidMs) await client.delete(Secret, secret);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function isMounted(client: CachedClient, { metadata: { namespace, name } }: Secret): Promise<boolean> {
  for await (const { spec } of eachLive(client.live, Pod, { ...(namespace && { namespace }) }))
    if (spec?.volumes?.some(({ secret }) => secret?.secretName === name)) return true;
  return false;
}
