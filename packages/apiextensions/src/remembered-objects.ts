import type { KubernetesObject } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import { asJson, encodeJson, parseJson, trustedLimits } from '@pintle/machinery/json';

const MAX_BYTES = 32 * 1024 * 1024;

interface Remembered {
  readonly resourceVersion: string;
  readonly text: Uint8Array;
}

/**
 * How objects look in one version, as somebody outside the server once said: Kubernetes asks when an object is written,
 * and lists and watches show that answer until the next write. Kept as text, the least that can be kept; when there is
 * too much of it, what was looked at longest ago is forgotten, and asked for again.
 */
export class RememberedObjects {
  readonly #byUid = new Map<string, Remembered>();
  #bytes = 0;

  /** A fresh copy of what was remembered of the object as it is in this state; `undefined` when nothing was. */
  find({ metadata: { uid, resourceVersion } }: KubernetesObject): KubernetesObject | undefined {
    const remembered = uid === undefined ? undefined : this.#byUid.get(uid);
    if (remembered === undefined || remembered.resourceVersion !== resourceVersion) return undefined;
    this.#byUid.delete(uid!);
    this.#byUid.set(uid!, remembered);
    return toKubernetesObject(parseJson(remembered.text, trustedLimits));
  }

  /** The first answer about a state counts, whatever is said of it later. */
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
