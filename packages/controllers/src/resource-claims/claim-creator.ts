import type { CachedClient } from '@pintle/client';
import { Pod, type PodResourceClaim, type PodResourceClaimStatus } from '@pintle/kinds/core/v1';
import { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import { deepCopy } from '@pintle/machinery/json';
import { isControlledBy } from '../common/owners.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { claimNameOf, isClaimForPod } from './claims-of-pod.ts';

const FIELD_MANAGER = 'ResourceClaimController';
/** Annotation with the entry of the pod that a claim was created for. */
const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name';
/** Time that a created claim counts as existing, although the cache may not have it yet. */
const CREATED_TTL_MS = 60_000;
/** Length of a name prefix: 63 characters without a hyphen and five generated ones. */
const MAX_PREFIX = 57;

interface CreatedClaim {
  readonly name: string;
  readonly untilMs: number;
}

/** Creates the claims for a pod's templates and writes their names into its status. */
export class ClaimCreator {
  readonly #record: RecordEvent;
  /** Created claims by pod and entry. Entries expire after a minute and are removed with the next creation. */
  readonly #created = new Map<string, CreatedClaim>();

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  async createClaims(client: CachedClient, pod: Pod, nowMs: number): Promise<void> {
    const created: PodResourceClaimStatus[] = [];
    for (const wanted of pod.spec?.resourceClaims ?? []) {
      try {
        const resourceClaimName = await this.#claimFor(client, pod, wanted, nowMs);
        if (resourceClaimName !== undefined) created.push({ name: wanted.name, resourceClaimName });
      } catch (error) {
        const message = `PodResourceClaim ${wanted.name}: ${error instanceof Error ? error.message : String(error)}`;
        this.#record(Pod, pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', message });
        throw error;
      }
    }
    if (created.length === 0) return;
    const { namespace = '', name = '' } = pod.metadata;
    const configuration = { metadata: { namespace, name }, status: { resourceClaimStatuses: created } };
    await client.apply(Pod, configuration, { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' });
  }

  /** Returns the name of a claim that is not in the pod's status yet; `undefined` when nothing is to be written. */
  async #claimFor(
    client: CachedClient,
    pod: Pod,
    wanted: PodResourceClaim,
    nowMs: number,
  ): Promise<string | undefined> {
    const { namespace } = pod.metadata;
    const assigned = pod.status?.resourceClaimStatuses?.find(({ name }) => name === wanted.name);
    if (wanted.resourceClaimTemplateName === undefined) return undefined;
    if (assigned !== undefined && assigned.resourceClaimName === undefined) return undefined;
    const name = claimNameOf(pod, wanted);
    const known = name === undefined ? undefined : await client.find(ResourceClaim, { namespace, name });
    if (known !== undefined && isClaimForPod(known, pod, wanted)) return undefined;
    const key = `${pod.metadata.uid}/${wanted.name}`;
    const recent = this.#created.get(key);
    if (recent !== undefined && recent.untilMs > nowMs) return recent.name;
    const orphan = await findOrphan(client, pod, wanted);
    if (orphan !== undefined) return orphan.metadata.name;
    const created = await createClaim(client, pod, wanted, wanted.resourceClaimTemplateName);
    this.#remember(key, created.metadata.name ?? '', nowMs);
    return created.metadata.name;
  }

  #remember(key: string, name: string, nowMs: number): void {
    for (const [other, { untilMs }] of this.#created) if (untilMs <= nowMs) this.#created.delete(other);
    this.#created.set(key, { name, untilMs: nowMs + CREATED_TTL_MS });
  }
}

/** Finds a claim that was created before the pod's status could be written. */
async function findOrphan(client: CachedClient, pod: Pod, { name }: PodResourceClaim) {
  const claims = await client.list(ResourceClaim, { namespace: pod.metadata.namespace });
  return claims.find((claim) => isControlledBy(claim, pod) && claim.metadata.annotations?.[POD_CLAIM_NAME] === name);
}

async function createClaim(
  client: CachedClient,
  pod: Pod,
  { name: entry }: PodResourceClaim,
  templateName: string,
): Promise<ResourceClaim> {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const template = await client.find(ResourceClaimTemplate, { namespace, name: templateName });
  if (template === undefined) {
    const quoted = JSON.stringify(templateName);
    throw new Error(`resource claim template ${quoted}: resourceclaimtemplate.resource.k8s.io ${quoted} not found`);
  }
  const { labels, annotations } = template.spec.metadata ?? {};
  const metadata = {
    namespace,
    generateName: prefixOf(name, entry),
    ...(labels && { labels: { ...labels } }),
    annotations: { ...annotations, [POD_CLAIM_NAME]: entry },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
  };
  try {
    return await client.create(ResourceClaim, { metadata, spec: deepCopy(template.spec.spec) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`create ResourceClaim : ${why}`, { cause: error });
  }
}

/** Returns pod and entry names, shortened in proportion when they are too long together. */
function prefixOf(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= MAX_PREFIX) return whole;
  const start = pod.slice(0, Math.floor((pod.length * MAX_PREFIX) / whole.length));
  return `${start}-${entry.slice(0, Math.floor((entry.length * MAX_PREFIX) / whole.length))}`;
}
