import { hash } from 'node:crypto';
import type { KubernetesObject } from '@pintle/machinery';
import { stringifyJson } from '@pintle/machinery/json';
import { hasNewFields, isContained } from './is-contained.ts';

/** Identifies a configuration: everything that decides what is sent. */
export interface AppliedConfiguration {
  /** Uid of the owner; empty for a status. */
  readonly owner: string;
  /** Owner reference mode, or `status`. */
  readonly mode: string;
  readonly digest: string;
}

/** Last write of an object, and its result. */
interface Written extends AppliedConfiguration {
  readonly uid: string;
  /** resourceVersion of the object that has everything that was sent. */
  version: string;
  /** Content of the object at that version; `undefined` for a status. */
  content: object | undefined;
}

/** Mode of a configuration that is a status. */
export const STATUS = 'status';
/** Length up to which a text is its own digest. */
const SHORT = 256;

/**
 * Remembers the last write of each object, to skip writes that would change nothing. A write would change nothing when
 *
 * - the same configuration was sent last, so that the server would remove no fields, and
 * - the object still has the resourceVersion of the response, or a later one that has everything that was sent and no new
 *   fields outside of its status.
 *
 * New fields may come from a process with the same field manager, such as a leader that was paused; an apply removes those.
 * It starts empty: the writes of an earlier process are unknown, so the first write of each object is always sent, and the
 * server finds that nothing changes. Entries belong to the request they were written for, and are forgotten with it.
 */
export class ApplyCache {
  readonly #byRequest = new Map<string, Map<string, Written>>();
  /** Cached objects that were found up to date: mostly the same ones are checked again. */
  readonly #confirmed = new WeakMap<KubernetesObject, Written>();

  /** True when this cached object was already found up to date. */
  isConfirmed(configuration: AppliedConfiguration, present: KubernetesObject): boolean {
    const written = this.#confirmed.get(present);
    return written !== undefined && isSame(written, configuration);
  }

  /**
   * True when sending the configuration would change nothing. `sentOf` returns what would be sent, for objects with another
   * resourceVersion; without it, only the resourceVersion counts.
   */
  isUpToDate(
    request: string,
    key: string,
    configuration: AppliedConfiguration,
    present: KubernetesObject,
    sentOf?: () => object,
  ): boolean {
    const { uid, resourceVersion = '' } = present.metadata;
    const written = this.#byRequest.get(request)?.get(key);
    if (written === undefined || written.uid !== uid || !isSame(written, configuration)) return false;
    if (written.version !== resourceVersion) {
      if (sentOf === undefined || !hasAll(sentOf(), present)) return false;
      if (hasNewFields(contentOf(present), written.content)) return false;
      written.version = resourceVersion;
    }
    // Shared with the cache, so that it takes no memory.
    if (sentOf !== undefined) written.content = contentOf(present);
    this.#confirmed.set(present, written);
    return true;
  }

  remember(
    request: string,
    key: string,
    { owner, mode, digest }: AppliedConfiguration,
    answer: KubernetesObject,
  ): void {
    const { uid = '', resourceVersion: version = '' } = answer.metadata;
    let known = this.#byRequest.get(request);
    if (known === undefined) {
      known = new Map();
      this.#byRequest.set(request, known);
    }
    const content = mode === STATUS ? undefined : contentOf(answer);
    known.set(key, { owner, mode, digest, uid, version, content });
  }

  /** Called before a write: until its response arrives, the state on the server is unknown. */
  invalidate(request: string, key: string, present: KubernetesObject | undefined): void {
    this.#byRequest.get(request)?.delete(key);
    if (present !== undefined) this.#confirmed.delete(present);
  }

  forget(request: string): void {
    this.#byRequest.delete(request);
  }
}

function isSame(a: AppliedConfiguration, b: AppliedConfiguration): boolean {
  return a.digest === b.digest && a.mode === b.mode && a.owner === b.owner;
}

export function digestOf(configuration: object): string {
  const text = stringifyJson(configuration);
  return text.length <= SHORT ? text : hash('sha256', text, 'base64');
}

/** Finds owner references at any position: other writers' may be among them. */
function hasAll(sent: object, present: KubernetesObject): boolean {
  const { metadata, ...rest } = sent as KubernetesObject;
  const { ownerReferences = [], ...meta } = metadata;
  const references = present.metadata.ownerReferences ?? [];
  return (
    isContained(meta, present.metadata) &&
    ownerReferences.every((wanted) => references.some((reference) => isContained(wanted, reference))) &&
    isContained(rest, present)
  );
}

/** Returns the fields that an apply may change: all but the status and what the server sets. */
function contentOf(object: KubernetesObject): object {
  const {
    apiVersion: _version,
    kind: _kind,
    status: _status,
    metadata,
    ...rest
  } = object as KubernetesObject & { status?: unknown };
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return { ...rest, metadata: { labels, annotations, ownerReferences, finalizers } };
}
