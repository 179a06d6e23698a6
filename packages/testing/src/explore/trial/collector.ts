import { isJsonObject, type JsonObject } from '@pintle/machinery/json';
import type { RequestFacts } from '../../requests/request-facts.ts';

/** Sends a request as a built-in controller. */
type Call = (method: 'GET' | 'DELETE' | 'PATCH', path: string, body?: object) => Promise<unknown>;

interface Tracked {
  readonly path: string;
  readonly uid: string;
  readonly owners: readonly string[];
  readonly isTerminating: boolean;
  readonly isHeldClaim: boolean;
}

interface CollectorOptions {
  /** Deletes dependents whose owners are all gone. */
  readonly isCollecting: boolean;
  /** Removes the finalizer of terminating PersistentVolumeClaims that no pod uses. */
  readonly isReleasing: boolean;
}

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';

/**
 * Replaces the garbage collector and the protection of volume claims when a plane runs without them: every cluster has both,
 * and few scenarios name them. It knows objects by the writes of the run, and acts at rests.
 */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #objects = new Map<string, Tracked>();
  readonly #gone = new Set<string>();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Records the result of a write. */
  note(facts: RequestFacts, object: JsonObject, { isGone }: { readonly isGone: boolean }): void {
    if (facts.verb === 'deletecollection') {
      for (const each of Array.isArray(object.items) ? object.items : [])
        if (isJsonObject(each)) this.#note(facts, each, isGone);
    } else this.#note(facts, object, isGone);
  }

  /** Records the response to a deletion by another client. */
  noteDeleted(answer: unknown): void {
    const { details } = (answer ?? {}) as { readonly details?: { readonly uid?: string } };
    if (details?.uid === undefined) return;
    this.#gone.add(details.uid);
    this.#objects.delete(details.uid);
  }

  #note(facts: RequestFacts, object: JsonObject, isGone: boolean): void {
    const metadata = isJsonObject(object.metadata) ? object.metadata : {};
    const details = isJsonObject(object.details) ? object.details : {};
    const uid = metadata.uid ?? details.uid;
    if (typeof uid !== 'string') return;
    if (isGone) {
      this.#gone.add(uid);
      this.#objects.delete(uid);
      return;
    }
    if (typeof metadata.name !== 'string') return;
    const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
    const owners = references.flatMap((each) => (isJsonObject(each) && typeof each.uid === 'string' ? [each.uid] : []));
    const finalizers = Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
    const isTerminating = metadata.deletionTimestamp !== undefined;
    const isHeldClaim = isTerminating && finalizers.includes(CLAIM_FINALIZER);
    this.#objects.set(uid, { path: pathOf(facts, metadata.name), uid, owners, isTerminating, isHeldClaim });
  }

  /** Deletes and releases objects. Returns true when there were any. */
  async collect(call: Call): Promise<boolean> {
    const { isCollecting, isReleasing } = this.#options;
    let hasActed = false;
    for (const tracked of [...this.#objects.values()]) {
      const { path, uid, owners, isTerminating, isHeldClaim } = tracked;
      const isGarbage =
        isCollecting && !isTerminating && owners.length > 0 && owners.every((owner) => this.#gone.has(owner));
      if (isGarbage) {
        this.#objects.set(uid, { ...tracked, owners: [] });
        await call('DELETE', path, { preconditions: { uid }, propagationPolicy: 'Background' }).catch(() => undefined);
        hasActed = true;
      } else if (isReleasing && isHeldClaim && (await release(call, path))) {
        if (this.#objects.has(uid)) this.#objects.set(uid, { ...tracked, isHeldClaim: false });
        hasActed = true;
      }
    }
    return hasActed;
  }
}

/** Removes the finalizer of a claim unless a pod uses it. */
async function release(call: Call, path: string): Promise<boolean> {
  const [collection = '', name = ''] = path.split('/persistentvolumeclaims/');
  const pods = (await call('GET', `${collection}/pods`)) as { readonly items?: readonly JsonObject[] };
  if ((pods.items ?? []).some((pod) => usesClaim(pod, name))) return false;
  const claim = (await call('GET', path).catch(() => undefined)) as JsonObject | undefined;
  const metadata = isJsonObject(claim?.metadata) ? claim.metadata : {};
  const finalizers = Array.isArray(metadata.finalizers) ? metadata.finalizers : [];
  if (metadata.deletionTimestamp === undefined || !finalizers.includes(CLAIM_FINALIZER)) return false;
  const kept = finalizers.filter((each) => each !== CLAIM_FINALIZER);
  await call('PATCH', path, { metadata: { finalizers: kept.length === 0 ? null : kept } }).catch(() => undefined);
  return true;
}

function usesClaim({ spec }: JsonObject, claim: string): boolean {
  const volumes = isJsonObject(spec) && Array.isArray(spec.volumes) ? spec.volumes : [];
  return volumes.some(
    (volume) =>
      isJsonObject(volume) &&
      isJsonObject(volume.persistentVolumeClaim) &&
      volume.persistentVolumeClaim.claimName === claim,
  );
}

function pathOf({ group, version, resource, namespace }: RequestFacts, name: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}/${name}`;
}
