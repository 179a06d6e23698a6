import type { DiscoveredResource } from '@pintle/client';
import { discover } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager, ReconcileScope } from '@pintle/operator';
import { describeDeletion } from './namespace-conditions.ts';
import type { Remains } from './namespace-content.ts';
import { deleteContent } from './namespace-content.ts';

/** Finalizer that keeps a namespace until it is empty. */
const FINALIZER = 'kubernetes';
/** Delay before the first check whether finalizers of the content are gone; it doubles each time. */
const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 5_000;

interface NamespaceOptions {
  /** Delay between the deletion of a namespace and the deletion of its content. */
  readonly graceMs?: number;
}

/** Deletes the content of terminating namespaces, reports what remains in their status, and finalizes empty ones. */
export function addNamespaceController(manager: Manager, { graceMs = 0 }: NamespaceOptions = {}): Controller {
  const looks = new Map<string, number>();
  const leftUntil = new Map<string, number>();
  return manager.controller(Namespace, 'namespace').reconcile(async (namespace, scope) => {
    const { deletionTimestamp, uid = '', name = '' } = namespace.metadata;
    if (!deletionTimestamp || !namespace.spec?.finalizers?.length) {
      looks.delete(uid);
      leftUntil.delete(uid);
      return undefined;
    }
    const nowMs = scope.clock.now();
    const untilMs = leftUntil.get(uid) ?? nowMs + graceMs;
    leftUntil.set(uid, untilMs);
    if (nowMs < untilMs) return { requeueAfterMs: untilMs - nowMs };
    const isEmpty = await empty(name, scope);
    if (isEmpty) {
      looks.delete(uid);
      leftUntil.delete(uid);
      return undefined;
    }
    const look = looks.get(uid) ?? 0;
    looks.set(uid, look + 1);
    return { requeueAfterMs: Math.min(FIRST_LOOK_MS * 2 ** look, LAST_LOOK_MS) };
  });
}

async function empty(name: string, { client: { live }, clock, signal }: ReconcileScope): Promise<boolean> {
  const { resources, stale } = await discover(live, { signal });
  const remains = await deleteContent(live, name, resources.filter(isContent), signal);
  const namespace = await live.find(Namespace, { name });
  if (namespace?.metadata.deletionTimestamp === undefined) return true;
  const status = describeDeletion(namespace, remains, stale, clock.now());
  const described = status === undefined ? namespace : await write({ ...namespace, status }, 'status');
  if (stale.length > 0 || remains.failures.length > 0) throw new Error(describeFailures(remains, stale));
  if (remains.count > 0 || described === undefined) return described === undefined;
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

function describeFailures({ failures }: Remains, stale: readonly string[]): string {
  return [...stale.map((group) => `cannot discover ${group}`), ...failures].join('; ');
}
