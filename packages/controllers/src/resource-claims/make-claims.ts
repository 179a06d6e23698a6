import type { CachedClient } from '@pintle/client';
import { Pod, type PodResourceClaim, type PodResourceClaimStatus } from '@pintle/kinds/core/v1';
import { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import { deepCopy } from '@pintle/machinery/json';
import { isControlledBy } from '../common/owners.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { claimNameOf, isMeantFor } from './claims-of-pod.ts';

const FIELD_MANAGER = 'ResourceClaimController';
/** Which entry of its pod a claim was made for. */
const ENTRY = 'resource.kubernetes.io/pod-claim-name';
/** So long a claim counts as there after it was made, whatever the cache says. */
const REMEMBERED_MS = 60_000;
/** What is left of a name of 63 characters beside a hyphen and five made-up ones. */
const MAX_PREFIX = 57;

interface Made {
  readonly name: string;
  readonly untilMs: number;
}

/** Makes the claims that a pod's templates describe and tells the pod their names. */
export class ClaimMaker {
  readonly #record: RecordEvent;
  /** By pod and entry. Each is forgotten after a minute, with the next that is made. */
  readonly #made = new Map<string, Made>();

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  async makeClaims(client: CachedClient, pod: Pod, nowMs: number): Promise<void> {
    const made: PodResourceClaimStatus[] = [];
    for (const wanted of pod.spec?.resourceClaims ?? []) {
      try {
        const resourceClaimName = await this.#claimFor(client, pod, wanted, nowMs);
        if (resourceClaimName !== undefined) made.push({ name: wanted.name, resourceClaimName });
      } catch (error) {
        const message = `PodResourceClaim ${wanted.name}: ${error instanceof Error ? error.message : String(error)}`;
        this.#record(Pod, pod, { type: 'Warning', reason: 'FailedResourceClaimCreation', message });
        throw error;
      }
    }
    if (made.length === 0) return;
    const { namespace = '', name = '' } = pod.metadata;
    const configuration = { metadata: { namespace, name }, status: { resourceClaimStatuses: made } };
    await client.apply(Pod, configuration, { fieldManager: FIELD_MANAGER, force: true, subresource: 'status' });
  }

  /** The name of a claim the pod has not been told of; `undefined` when there is nothing to tell. */
  async #claimFor(
    client: CachedClient,
    pod: Pod,
    wanted: PodResourceClaim,
    nowMs: number,
  ): Promise<string | undefined> {
    const { namespace } = pod.metadata;
    const told = pod.status?.resourceClaimStatuses?.find(({ name }) => name === wanted.name);
    if (wanted.resourceClaimTemplateName === undefined) return undefined;
    if (told !== undefined && told.resourceClaimName === undefined) return undefined;
    const name = claimNameOf(pod, wanted);
    const known = name === undefined ? undefined : await client.find(ResourceClaim, { namespace, name });
    if (known !== undefined && isMeantFor(known, pod, wanted)) return undefined;
    const key = `${pod.metadata.uid}/${wanted.name}`;
    const recent = this.#made.get(key);
    if (recent !== undefined && recent.untilMs > nowMs) return recent.name;
    const orphan = await findOrphan(client, pod, wanted);
    if (orphan !== undefined) return orphan.metadata.name;
    const created = await createClaim(client, pod, wanted, wanted.resourceClaimTemplateName);
    this.#remember(key, created.metadata.name ?? '', nowMs);
    return created.metadata.name;
  }

  #remember(key: string, name: string, nowMs: number): void {
    for (const [other, { untilMs }] of this.#made) if (untilMs <= nowMs) this.#made.delete(other);
    this.#made.set(key, { name, untilMs: nowMs + REMEMBERED_MS });
  }
}

/** One that was made before the pod could be told. */
async function findOrphan(client: CachedClient, pod: Pod, { name }: PodResourceClaim) {
  const claims = await client.list(ResourceClaim, { namespace: pod.metadata.namespace });
  return claims.find((claim) => isControlledBy(claim, pod) && claim.metadata.annotations?.[ENTRY] === name);
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
    annotations: { ...annotations, [ENTRY]: entry },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
  };
  try {
    return await client.create(ResourceClaim, { metadata, spec: deepCopy(template.spec.spec) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`create ResourceClaim : ${why}`, { cause: error });
  }
}

/** The names of pod and entry, both shortened in proportion where they are too long together. */
function prefixOf(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= MAX_PREFIX) return whole;
  const start = pod.slice(0, Math.floor((pod.length * MAX_PREFIX) / whole.length));
  return `${start}-${entry.slice(0, Math.floor((entry.length * MAX_PREFIX) / whole.length))}`;
}
