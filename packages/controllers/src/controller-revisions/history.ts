import type { CachedClient } from '@pintle/client';
import { ControllerRevision } from '@pintle/kinds/apps/v1';
import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { asJson, canonicalJson, deepEqual } from '@pintle/machinery/json';
import { controllerRef } from '../common/owners.ts';

/** An owner whose former pod templates are kept as ControllerRevisions. */
interface Templated extends KubernetesObject {
  spec?: { template?: PodTemplateSpec; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

interface HistoryOptions<O extends Templated> {
  readonly client: CachedClient;
  readonly ownerType: ResourceType<O>;
  readonly owner: O;
  /** Revisions of the owner, ordered by number. */
  readonly revisions: readonly ControllerRevision[];
  /** The label that holds the revision's hash. */
  readonly hashLabel: string;
  readonly hashOf: (data: object, collisionCount: number) => string;
  /** Labels a revision with the hash that was tried first, even when its name needed another. Default: false. */
  readonly keepsFirstHash?: boolean;
}

export interface NewestRevision {
  readonly newest: ControllerRevision;
  readonly collisionCount: number;
}

const DEFAULT_LIMIT = 10;
/** Length that the owner's name is cut to, which leaves room for the hash. */
const PREFIX_MAX = 223;
/** Attempts after which a collision has another cause. */
const MAX_COLLISIONS = 100;

/**
 * Returns the revision of the owner's current template as the newest one: creates it when it is missing, and renumbers
 * an older revision that has the same template.
 */
export async function ensureNewestRevision<O extends Templated>(options: HistoryOptions<O>): Promise<NewestRevision> {
  const { client, owner, revisions } = options;
  const collisionCount = owner.status?.collisionCount ?? 0;
  const data = templateData(owner.spec?.template ?? {});
  const found = revisions.findLast((revision) => deepEqual(revision.data, data));
  const last = revisions.at(-1);
  if (found === undefined) return await createRevision(options, data, (last?.revision ?? 0) + 1, collisionCount);
  if (found === last) return { newest: found, collisionCount };
  const { namespace, name = '' } = found.metadata;
  const body = { revision: (last?.revision ?? 0) + 1 };
  const newest = await client.patch(ControllerRevision, { namespace, name }, { type: 'merge', body });
  return { newest, collisionCount };
}

/** Deletes the oldest revisions that are not in use, beyond the owner's `revisionHistoryLimit`. */
export async function truncateHistory<O extends Templated>(
  { client, owner, revisions }: HistoryOptions<O>,
  isInUse: (revision: ControllerRevision) => boolean,
): Promise<void> {
  const limit = owner.spec?.revisionHistoryLimit ?? DEFAULT_LIMIT;
  const unused = revisions.filter((revision) => !isInUse(revision));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit)))
    await client.delete(ControllerRevision, revision);
}

export function sortRevisions(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const keyOf = ({ metadata }: ControllerRevision): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return [...revisions].sort((a, b) => a.revision - b.revision || (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns the data of a revision: a strategic merge patch, which `kubectl rollout undo` applies as it is. */
export function templateData(template: object): object {
  return { spec: { template: JSON.parse(canonicalJson(asJson({ ...template, $patch: 'replace' }))) } };
}

export function templateOf(revision: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (revision.data as { spec: { template: PodTemplateSpec & { $patch?: string } } })
    .spec.template;
  return template;
}

async function createRevision<O extends Templated>(
  options: HistoryOptions<O>,
  data: object,
  revision: number,
  firstCollisions: number,
): Promise<NewestRevision> {
  const { client } = options;
  for (let collisionCount = firstCollisions; ; collisionCount++) {
    const counts = { collisionCount, firstCollisions };
    const wanted = revisionOf(options, data, revision, counts);
    try {
      return { newest: await client.create(ControllerRevision, wanted), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error) || collisionCount - firstCollisions >= MAX_COLLISIONS) throw error;
      const { namespace, name } = wanted.metadata;
      const other = await client.live.find(ControllerRevision, { namespace, name });
      if (other !== undefined && deepEqual(other.data, data)) return { newest: other, collisionCount };
    }
  }
}

function revisionOf<O extends Templated>(
  { owner, ownerType, hashLabel, hashOf, keepsFirstHash = false }: HistoryOptions<O>,
  data: object,
  revision: number,
  { collisionCount, firstCollisions }: { readonly collisionCount: number; readonly firstCollisions: number },
) {
  const { namespace, name, annotations } = owner.metadata;
  const { template = {} } = owner.spec ?? {};
  const hash = hashOf(data, collisionCount);
  return {
    metadata: {
      ...(namespace && { namespace }),
      name: `${name?.slice(0, PREFIX_MAX)}-${hash}`,
      labels: { ...template.metadata?.labels, [hashLabel]: keepsFirstHash ? hashOf(data, firstCollisions) : hash },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerRef(ownerType, owner)],
    },
    data,
    revision,
  };
}
