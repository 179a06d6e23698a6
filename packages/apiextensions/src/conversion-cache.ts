import type { KubernetesObject } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import { asJson, encodeJson, parseJson, trustedLimits } from '@pintle/machinery/json';

const MAX_BYTES = 32 * 1024 * 1024;

interface CachedObject {
  readonly resourceVersion: string;
  readonly text: Uint8Array;
}

/**
 * Cache of converted objects in one version. As in Kubernetes, a webhook is asked when an object is written, and lists
 * and watches return that answer until the next write. Keeps objects as text, and evicts the least recently used ones.
 */
export class ConversionCache {
  readonly #byUid = new Map<string, CachedObject>();
  #bytes = 0;

  /** Returns a copy of the conversion of the object in this state; `undefined` when it is not cached. */
  find({ metadata: { uid, resourceVersion } }: KubernetesObject): KubernetesObject | undefined {
    const cached = uid === undefined ? undefined : this.#byUid.get(uid);
    if (cached === undefined || cached.resourceVersion !== resourceVersion) return undefined;
    this.#byUid.delete(uid!);
    this.#byUid.set(uid!, cached);
    return toKubernetesObject(parseJson(cached.text, trustedLimits));
  }

  /** Keeps the first conversion of a state; later ones are ignored. */
  add(object: KubernetesObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (!uid || !resourceVersion || this.#byUid.get(uid)?.resourceVersion === resourceVersion) return;
    this.#delete(uid);
    const text = encodeJson(asJson(object));
    this.#byUid.set(uid, { resourceVersion, text });
    this.#bytes += text.length;
    for (const oldest of this.#byUid.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#delete(oldest);
    }
  }

  #delete(uid: string): void {
    this.#bytes -= this.#byUid.get(uid)?.text.length ?? 0;
    this.#byUid.delete(uid);
  }
}
