import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Secret } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';
import type { Revision, Store } from '@pintle/store';
import type { AccountClaims, ObjectClaim } from './account-claims.ts';

/** Time for which tokens of a deleted object stay valid, so that its holder can shut down. */
const LEEWAY_MS = 60_000;

/** An object that a token is bound to. `check` returns the reason why the token is no longer valid. */
interface Anchor {
  readonly key: string;
  readonly kind: string;
  readonly missing: string;
  check(object: KubernetesObject): string | undefined;
}

/**
 * Checks on every use that the objects of a token still exist: deleting or replacing one revokes the token at once.
 * Does not read an object again that is unchanged since the last check.
 */
export class AccountChecks {
  readonly #anchors: readonly Anchor[];
  readonly #goodAt = new Map<Anchor, Revision>();

  /** `digest`: SHA-256 of the token. Tokens themselves are not kept. */
  constructor(claims: AccountClaims, digest: Uint8Array) {
    this.#anchors = anchorsOf(claims, digest);
  }

  /** Returns the reason why the token is no longer valid; `undefined` while it is. */
  async problem(store: Store, nowMs: number): Promise<string | undefined> {
    for (const anchor of this.#anchors) {
      const record = await store.get(anchor.key);
      if (record === undefined) return anchor.missing;
      if (record.modRevision === this.#goodAt.get(anchor)) continue;
      const object = decodeObject(record, anchor.kind);
      const problem = anchor.check(object) ?? (isOver(object, nowMs) ? INVALIDATED : undefined);
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
      check: ({ metadata }) =>
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
      check: (object) => (isLegacy ? checkSecret(object, digest) : checkUid(object, claim)),
    });
  };
  bound('Secret', 'secrets', secret);
  bound('Pod', 'pods', pod);
  // The node of a pod's token is information only: the token is bound to the pod.
  if (pod === undefined) bound('Node', 'nodes', node, '');
  return anchors;
}

function checkUid({ metadata }: KubernetesObject, { uid }: ObjectClaim): string | undefined {
  return metadata.uid === uid ? undefined : INVALIDATED;
}

/** Checks that the Secret contains this token, byte for byte, and is not marked as invalid. */
function checkSecret(object: KubernetesObject, digest: Uint8Array): string | undefined {
  const kept = Buffer.from((object as Secret).data?.token ?? '', 'base64');
  const isSame = timingSafeEqual(createHash('sha256').update(kept).digest(), digest);
  if (!isSame) return 'token does not match server’s copy';
  return object.metadata.labels?.['kubernetes.io/legacy-token-invalid-since'] === undefined ? undefined : INVALIDATED;
}

function isOver({ metadata }: KubernetesObject, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY_MS < nowMs;
}
