import { hash } from 'node:crypto';
import type { KubernetesObject } from '@pintle/machinery';
import { stringifyJson } from '@pintle/machinery/json';
import { isContained } from './is-contained.ts';

/** What a reconcile says of an object: all that decides what is sent. */
export interface Saying {
  /** The uid of the owner, and how the object is tied to it; empty where neither matters. */
  readonly owner: string;
  readonly tie: string;
  readonly digest: string;
}

/** What was written last, and what the server made of it. */
interface Written extends Saying {
  readonly uid: string;
  /** A version of the object that says all that was sent. */
  version: string;
}

/** Texts up to here are their own digest. */
const SHORT = 256;

/**
 * Remembers what was last written, so that writing the same again can be left out. Nothing would change when
 *
 * - the same was sent last, so there are no fields the server would take away because they are no longer sent, and
 * - the object is still the version the server answered with, or a later one that still says all that was sent.
 *
 * It starts empty: what an earlier process sent is not known, so the first write of each object is always sent, and the
 * server finds that nothing changes. Objects are kept by the request they were written for and go with it.
 */
export class AppliedMemory {
  readonly #byRequest = new Map<string, Map<string, Written>>();
  /** Cached objects that were found to say what was sent: mostly the same ones are looked at again. */
  readonly #confirmed = new WeakMap<KubernetesObject, Written>();

  /** It was found before that this very object, as cached, says all of it. */
  isConfirmed(saying: Saying, present: KubernetesObject): boolean {
    const written = this.#confirmed.get(present);
    return written !== undefined && isSame(written, saying);
  }

  /**
   * Nothing would change if it were sent. `sentOf` gives what would be, where the version alone does not decide; without
   * it only the version does.
   */
  isSaid(request: string, key: string, saying: Saying, present: KubernetesObject, sentOf?: () => object): boolean {
    const { uid, resourceVersion = '' } = present.metadata;
    const written = this.#byRequest.get(request)?.get(key);
    if (written === undefined || written.uid !== uid || !isSame(written, saying)) return false;
    if (written.version !== resourceVersion) {
      if (sentOf === undefined || !isAllSaid(sentOf(), present)) return false;
      written.version = resourceVersion;
    }
    this.#confirmed.set(present, written);
    return true;
  }

  remember(request: string, key: string, { owner, tie, digest }: Saying, answer: KubernetesObject): void {
    const { uid = '', resourceVersion: version = '' } = answer.metadata;
    let known = this.#byRequest.get(request);
    if (known === undefined) {
      known = new Map();
      this.#byRequest.set(request, known);
    }
    known.set(key, { owner, tie, digest, uid, version });
  }

  /** Something is about to be sent, and whether it arrives is not known before the answer does. */
  doubt(request: string, key: string, present: KubernetesObject | undefined): void {
    this.#byRequest.get(request)?.delete(key);
    if (present !== undefined) this.#confirmed.delete(present);
  }

  forget(request: string): void {
    this.#byRequest.delete(request);
  }
}

function isSame(a: Saying, b: Saying): boolean {
  return a.digest === b.digest && a.tie === b.tie && a.owner === b.owner;
}

export function digestOf(said: object): string {
  const text = stringifyJson(said);
  return text.length <= SHORT ? text : hash('sha256', text, 'base64');
}

/** References to owners are found wherever they stand: others' may be among them. */
function isAllSaid(sent: object, present: KubernetesObject): boolean {
  const { metadata, ...rest } = sent as KubernetesObject;
  const { ownerReferences = [], ...meta } = metadata;
  const references = present.metadata.ownerReferences ?? [];
  return (
    isContained(meta, present.metadata) &&
    ownerReferences.every((wanted) => references.some((reference) => isContained(wanted, reference))) &&
    isContained(rest, present)
  );
}
