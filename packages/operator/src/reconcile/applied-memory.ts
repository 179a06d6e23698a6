import { hash } from 'node:crypto';
import type { KubernetesObject } from '@pintle/machinery';
import { stringifyJson } from '@pintle/machinery/json';
import { isContained } from './is-contained.ts';

/** What was written last, and what the server made of it. */
interface Written {
  /** Of what was said; of whom it was said is known. */
  readonly digest: string;
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
  readonly #byOwner = new Map<string, Map<string, Written>>();

  /** The object is as the server answered when just this was sent. */
  isSame(owner: string, key: string, digest: string, { metadata }: KubernetesObject): boolean {
    const written = this.#byOwner.get(owner)?.get(key);
    return written?.digest === digest && written.uid === metadata.uid && written.version === metadata.resourceVersion;
  }

  /** The same was sent last, and the object still says all of it, whatever else changed. */
  isStillSaid(owner: string, key: string, digest: string, sent: object, present: KubernetesObject): boolean {
    const written = this.#byOwner.get(owner)?.get(key);
    if (written === undefined || written.digest !== digest || written.uid !== present.metadata.uid) return false;
    if (!isSaid(sent, present)) return false;
    written.version = present.metadata.resourceVersion ?? '';
    return true;
  }

  remember(owner: string, key: string, digest: string, answer: KubernetesObject): void {
    const { uid = '', resourceVersion: version = '' } = answer.metadata;
    let known = this.#byOwner.get(owner);
    if (known === undefined) {
      known = new Map();
      this.#byOwner.set(owner, known);
    }
    known.set(key, { digest, uid, version });
  }

  forget(owner: string, key?: string): void {
    if (key === undefined) this.#byOwner.delete(owner);
    else this.#byOwner.get(owner)?.delete(key);
  }
}

/** `of`: whatever else decides what is sent. */
export function digestOf(said: object, of = ''): string {
  const text = of + stringifyJson(said);
  return text.length <= SHORT ? text : hash('sha256', text, 'base64');
}

/** References to owners are found wherever they stand: others' may be among them. */
function isSaid(sent: object, present: KubernetesObject): boolean {
  const { metadata, ...rest } = sent as KubernetesObject;
  const { ownerReferences = [], ...meta } = metadata;
  const references = present.metadata.ownerReferences ?? [];
  return (
    isContained(meta, present.metadata) &&
    ownerReferences.every((wanted) => references.some((reference) => isContained(wanted, reference))) &&
    isContained(rest, present)
  );
}
