import type { KubernetesObject } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import { asJson, encodeJson, parseJson, trustedLimits } from '@pintle/machinery/json';

const MAX_BYTES = 32 * 1024 * 1024;

interface Remembered {
  readonly resourceVersion: string;
  readonly text: Uint8Array;
}

/**
 * Cache of converted objects in one version. As in Kubernetes, a webhook is asked when an object is written, and lists
 * and watches return that answer until the next write. Keeps objects as text, and evicts the least recently used ones.
 */
export class RememberedObjects {
  readonly #byUid = new Map<string, Remembered>();
  #bytes = 0;

  /** Returns a copy of the conversion of the object in this state; `undefined` when there is none. */
  find({ metadata: { uid, resourceVersion } }: KubernetesObject): KubernetesObject | undefined {
    const remembered = uid === undefined ? undefined : this.#byUid.get(uid);
    if (remembered === undefined || remembered.resourceVersion !== resourceVersion) return undefined;
    this.#byUid.delete(uid!);
    this.#byUid.set(uid!, remembered);
    return toKubernetesObject(parseJson(remembered.text, trustedLimits));
  }

  /** Keeps the first conversion of a state; later ones are ignored. */
  remember(object: KubernetesObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (!uid || !resourceVersion || this.#byUid.get(uid)?.resourceVersion === resourceVersion) return;
    this.#forget(uid);
    const text = encodeJson(asJson(object));
    this.#byUid.set(uid, { resourceVersion, text });
    this.#bytes += text.length;
    for (const oldest of this.#byUid.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(uid: string): void {
    this.#bytes -= this.#byUid.get(uid)?.text.length ?? 0;
    this.#byUid.delete(uid);
  }
}
