import type { IndexSelection } from '@pintle/client';
import { defineIndex } from '@pintle/client';
import { Namespace, Secret } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager, MapContext, NamespacedRequest, ReconcileContext } from '@pintle/operator';
import { generationChanged, OWNER_ANNOTATION, requestOf } from '@pintle/operator';
import { isContentChanged, isNew } from './predicates.ts';
import type { Source } from './sec-synch.ts';
import { SecSynch, sourceOf } from './sec-synch.ts';

const FINALIZER = 'sync.pintle.dev/copies';
const bySource = defineIndex(SecSynch, (synch) => [keyOf(sourceOf(synch))]);
const byCopy = defineIndex(SecSynch, ({ spec }) => spec.namespaces.map((each) => `${each}/${spec.source.name}`));
const byTarget = defineIndex(SecSynch, ({ spec }) => spec.namespaces);

/** Copies Secrets to other namespaces, keeps the copies up to date, and deletes them with the SecSynch. */
export function addSecSynchController(manager: Manager): Controller {
  return manager
    .controller(SecSynch)
    .filter(generationChanged)
    .indexes(SecSynch, bySource, byCopy, byTarget)
    .owns(Secret, isContentChanged)
    .watches(
      Secret,
      (secret, context) => found(context, bySource.is(nameOf(secret)), byCopy.is(nameOf(secret))),
      isContentChanged,
    )
    .watches(Namespace, ({ metadata }, context) => found(context, byTarget.is(metadata.name)), isNew)
    .reconcile(reconcile);
}

/** Returns requests for the objects that indexes select, from the cache. */
async function found(
  { client }: MapContext,
  ...selections: readonly IndexSelection<SecSynch>[]
): Promise<NamespacedRequest[]> {
  const lists = await Promise.all(selections.map((index) => client.list(SecSynch, { index })));
  return lists.flat().map(requestOf);
}

async function reconcile(synch: SecSynch, ctx: ReconcileContext<SecSynch>): Promise<void> {
  // No copy was applied in this reconcile, so `prune` deletes all of them.
  if (await ctx.finalize(FINALIZER, async () => void (await ctx.prune()))) return;
  const from = sourceOf(synch);
  const source = await ctx.find(Secret, from);
  // The copies stay while the source is missing, so that their users keep working.
  if (source === undefined || source.metadata.deletionTimestamp) {
    setSynced(ctx, false, 'SourceMissing', `There is no Secret ${keyOf(from)}`);
    return;
  }
  const outcome = await copyAll(synch, source, ctx);
  await ctx.prune();
  reportOutcome(ctx, outcome);
}

interface Outcome {
  readonly copies: number;
  readonly missing: { namespace: string; reason: string }[];
  /** Errors that a retry may resolve. */
  readonly failures: unknown[];
}

/** Copies to every namespace; a failure in one does not affect the others. */
async function copyAll(synch: SecSynch, source: Secret, ctx: ReconcileContext<SecSynch>): Promise<Outcome> {
  const outcome = { copies: 0, missing: [] as Outcome['missing'], failures: [] as unknown[] };
  for (const namespace of new Set(synch.spec.namespaces)) {
    try {
      const reason = await copy(synch, source, namespace, ctx);
      if (reason === undefined) outcome.copies++;
      else outcome.missing.push({ namespace, reason });
    } catch (error) {
      outcome.missing.push({ namespace, reason: 'Failed' });
      outcome.failures.push(error);
    }
  }
  return outcome;
}

/** Returns the reason why there is no copy; `undefined` after a successful copy. */
async function copy(
  synch: SecSynch,
  source: Secret,
  namespace: string,
  ctx: ReconcileContext<SecSynch>,
): Promise<string | undefined> {
  const name = source.metadata.name ?? '';
  if (namespace === source.metadata.namespace) return 'IsSource';
  const target = await ctx.find(Namespace, { name: namespace });
  if (target === undefined) return 'NoNamespace';
  if (target.metadata.deletionTimestamp) return 'NamespaceTerminating';
  const present = await ctx.find(Secret, { namespace, name });
  if (present !== undefined && !isCopyOf(synch, source, present)) return 'TakenByAnother';
  // The type of a Secret is immutable.
  if (present !== undefined && present.type !== source.type) await ctx.client.delete(Secret, present);
  const { data = {}, type } = source;
  await ctx.apply(Secret, { metadata: { namespace, name }, data, ...(type !== undefined && { type }) });
  return undefined;
}

/** A copy has an owner reference in the namespace of its SecSynch, and an annotation elsewhere. Without both, its data decides. */
function isCopyOf({ metadata }: SecSynch, source: Secret, secret: Secret): boolean {
  const owner = `${SecSynch.kind}.${SecSynch.group}/${metadata.namespace}/${metadata.name}`;
  const { ownerReferences = [], annotations } = secret.metadata;
  const isOwned = ownerReferences.some(({ kind, name }) => kind === SecSynch.kind && name === metadata.name);
  const other = annotations?.[OWNER_ANNOTATION];
  return isOwned || (other === undefined ? deepEqual(secret.data, source.data) : other === owner);
}

function reportOutcome(ctx: ReconcileContext<SecSynch>, { copies, missing, failures }: Outcome): void {
  ctx.status({ copies, missing: missing.length > 0 ? missing : undefined });
  const where = missing.map(({ namespace, reason }) => `${namespace} (${reason})`).join(', ');
  const isSynced = missing.every(({ reason }) => reason === 'IsSource');
  setSynced(ctx, isSynced, isSynced ? 'AllCopied' : 'Incomplete', isSynced ? '' : `There is no copy in ${where}`);
  if (failures.length > 0) throw failures[0];
}

function setSynced(ctx: ReconcileContext<SecSynch>, isSynced: boolean, reason: string, message: string): void {
  ctx.condition({ type: 'Synced', status: isSynced ? 'True' : 'False', reason, message });
}

function nameOf({ metadata: { namespace = '', name = '' } }: Secret): string {
  return keyOf({ namespace, name });
}

function keyOf({ namespace, name }: Source): string {
  return `${namespace}/${name}`;
}
