import type { DiscoveredResource } from '@pintle/client';
import { discover } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager, ReconcileScope } from '@pintle/operator';
import { describeDeletion } from './namespace-conditions.ts';
import type { Remains } from './namespace-content.ts';
import { deleteContent } from './namespace-content.ts';

/** Holds a namespace until it is empty. */
const FINALIZER = 'kubernetes';
/** How soon it looks again whether what holds the content has let go; it doubles each time. */
const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 5_000;

interface NamespaceOptions {
  /** For how long a namespace is left as it is after it was deleted. */
  readonly graceMs?: number;
}

/** Empties namespaces that are being deleted, says in their status what remains, and lets them go when nothing does. */
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
    const isEmpty = (await isOver(namespace, scope)) || (await empty(name, scope));
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

/** What lies in namespaces, once each: in the version that is preferred. */
function isContent({ type, verbs, isPreferred }: DiscoveredResource): boolean {
  return type.scope === 'Namespaced' && isPreferred && verbs.has('delete') && verbs.has('list');
}

function describeFailures({ failures }: Remains, stale: readonly string[]): string {
  return [...stale.map((group) => `cannot discover ${group}`), ...failures].join('; ');
}
