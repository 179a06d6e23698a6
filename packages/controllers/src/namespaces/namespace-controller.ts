import type { DiscoveredResource } from '@pintle/client';
import { discover } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager, ReconcileScope } from '@pintle/operator';
import { deletionStatus } from './namespace-conditions.ts';
import type { RemainingContent } from './namespace-content.ts';
import { deleteContent } from './namespace-content.ts';

/** Finalizer that keeps a namespace until it is empty. */
const FINALIZER = 'kubernetes';
/** Delay before the first check whether finalizers of the content are gone; it doubles each time. */
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5_000;

interface NamespaceOptions {
  /** Delay between the deletion of a namespace and the deletion of its content. */
  readonly graceMs?: number;
}

/** Deletes the content of terminating namespaces, reports what remains in their status, and finalizes empty ones. */
export function addNamespaceController(manager: Manager, { graceMs = 0 }: NamespaceOptions = {}): Controller {
  const retries = new Map<string, number>();
  const graceUntil = new Map<string, number>();
  return manager.controller(Namespace, 'namespace').reconcile(async (namespace, scope) => {
    const { deletionTimestamp, uid = '', name = '' } = namespace.metadata;
    if (!deletionTimestamp || !namespace.spec?.finalizers?.length) {
      retries.delete(uid);
      graceUntil.delete(uid);
      return undefined;
    }
    const nowMs = scope.clock.now();
    const untilMs = graceUntil.get(uid) ?? nowMs + graceMs;
    graceUntil.set(uid, untilMs);
    if (nowMs < untilMs) return { requeueAfterMs: untilMs - nowMs };
    const isEmpty = (await isOver(namespace, scope)) || (await empty(name, scope));
    if (isEmpty) {
      retries.delete(uid);
      graceUntil.delete(uid);
      return undefined;
    }
    const retry = retries.get(uid) ?? 0;
    retries.set(uid, retry + 1);
    return { requeueAfterMs: Math.min(FIRST_RETRY_MS * 2 ** retry, MAX_RETRY_MS) };
  });
}

/**
 * A cache may be old, as after a restart: another namespace may have the name by now, and its content must stay. So the
 * server is asked before anything is deleted.
 */
async function isOver({ metadata }: Namespace, { client: { live }, signal }: ReconcileScope): Promise<boolean> {
  const current = await live.find(Namespace, { name: metadata.name ?? '' }, { signal });
  return current?.metadata.uid !== metadata.uid || current?.metadata.deletionTimestamp === undefined;
}

async function empty(name: string, { client: { live }, clock, signal }: ReconcileScope): Promise<boolean> {
  const { resources, stale } = await discover(live, { signal });
  const remaining = await deleteContent(live, name, resources.filter(isContent), signal);
  const namespace = await live.find(Namespace, { name });
  if (namespace?.metadata.deletionTimestamp === undefined) return true;
  const status = deletionStatus(namespace, remaining, stale, clock.now());
  const described = status === undefined ? namespace : await write({ ...namespace, status }, 'status');
  if (stale.length > 0 || remaining.failures.length > 0) throw new Error(describeFailures(remaining, stale));
  if (remaining.count > 0 || described === undefined) return described === undefined;
  if (!described.spec?.finalizers?.includes(FINALIZER)) return true;
  const finalizers = described.spec.finalizers.filter((finalizer) => finalizer !== FINALIZER);
  await write({ ...described, spec: { ...described.spec, finalizers } }, 'finalize');
  return true;

  async function write(next: Namespace, subresource: string): Promise<Namespace | undefined> {
    try {
      return await live.update(Namespace, next, { subresource });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return next;
      throw error;
    }
  }
}

/** Namespaced resources that can be deleted, each in its preferred version. */
function isContent({ type, verbs, isPreferred }: DiscoveredResource): boolean {
  return type.scope === 'Namespaced' && isPreferred && verbs.has('delete') && verbs.has('list');
}

function describeFailures({ failures }: RemainingContent, stale: readonly string[]): string {
  return [...stale.map((group) => `cannot discover ${group}`), ...failures].join('; ');
}
