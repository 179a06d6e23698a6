import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Secret } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';
import type { Revision, Store } from '@pintle/store';
import type { AccountClaims, ObjectClaim } from './account-claims.ts';

/** How long after its end an object's tokens are still good: whoever holds them is on the way out. */
const LEEWAY_MS = 60_000;

/** An object that a token lives and dies with. `look` says why the token is no longer good, if so. */
interface Anchor {
  readonly key: string;
  readonly kind: string;
  readonly missing: string;
  look(object: KubernetesObject): string | undefined;
}

/**
 * Whether what a token was given for still exists, asked with every use of the token: what is deleted or made anew
 * ends it at once. An object that has not changed since it was last found good is not read again.
 */
export class AccountChecks {
  readonly #anchors: readonly Anchor[];
  readonly #goodAt = new Map<Anchor, Revision>();

  /** `digest`: the SHA-256 of the token. Tokens themselves are not kept. */
  constructor(claims: AccountClaims, digest: Uint8Array) {
    this.#anchors = anchorsOf(claims, digest);
  }

  /** Why the token is not good any more; `undefined` while it is. */
  async problem(store: Store, nowMs: number): Promise<string | undefined> {
    for (const anchor of this.#anchors) {
      const record = await store.get(anchor.key);
      if (record === undefined) return anchor.missing;
      if (record.modRevision === this.#goodAt.get(anchor)) continue;
      const object = decodeObject(record, anchor.kind);
      const problem = anchor.look(object) ?? (isOver(object, nowMs) ? INVALIDATED : undefined);
      if (problem !== undefined) return problem;
      if (object.metadata.deletionTimestamp === undefined) this.#goodAt.set(anchor, record.modRevision);
    }
    return undefined;
  }
}

const INVALIDATED = 'service account token has been invalidated';

function anchorsOf({ namespace, account, secret, pod, node, isLegacy }: AccountClaims, digest: Uint8Array): Anchor[] {
  const resource = 'serviceaccounts';
  const anchors: Anchor[] = [
    {
      key: objectKey({ group: '', resource }, namespace, account.name),
      kind: 'ServiceAccount',
      missing: `${resource} ${quote(account.name)} not found`,
      look: ({ metadata }) =>
        metadata.uid === account.uid
          ? undefined
          : `service account UID (${metadata.uid}) does not match claim (${account.uid})`,
    },
  ];
  const bound = (kind: string, plural: string, claim: ObjectClaim | undefined, home = namespace): void => {
    if (claim === undefined) return;
    anchors.push({
      key: objectKey({ group: '', resource: plural }, home, claim.name),
      kind,
      missing: INVALIDATED,
      look: (object) => (isLegacy ? lookAtSecret(object, digest) : lookAtUid(object, claim)),
    });
  };
  bound('Secret', 'secrets', secret);
  bound('Pod', 'pods', pod);
  // A pod's node is told, and no more: the token lives with the pod.
  if (pod === undefined) bound('Node', 'nodes', node, '');
  return anchors;
}

function lookAtUid({ metadata }: KubernetesObject, { uid }: ObjectClaim): string | undefined {
  return metadata.uid === uid ? undefined : INVALIDATED;
}

/** The token is what the Secret holds, byte for byte, and nobody has declared it void. */
function lookAtSecret(object: KubernetesObject, digest: Uint8Array): string | undefined {
  const kept = Buffer.from((object as Secret).data?.token ?? '', 'base64');
  const isSame = timingSafeEqual(createHash('sha256').update(kept).digest(), digest);
  if (!isSame) return 'token does not match server’s copy';
  return object.metadata.labels?.['kubernetes.io/legacy-token-invalid-since'] === undefined ? undefined : INVALIDATED;
}

function isOver({ metadata }: KubernetesObject, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY_MS < nowMs;
}
