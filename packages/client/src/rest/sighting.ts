import type { KubernetesObject } from '@pintle/machinery';

/** An object as it came from the server: what finds it is known, the rest is read when somebody looks at it. */
export class Sighting<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly resourceVersion: string;
  readonly #finish: (object: T) => T;
  /** JSON until it is read. */
  #held: string | T;
  /** Characters of its JSON; 0: unknown. */
  #size: number;

  private constructor(key: string, resourceVersion: string, held: string | T, finish: (object: T) => T) {
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.#finish = finish;
    this.#held = held;
    this.#size = typeof held === 'string' ? held.length : 0;
  }

  /** `text` is JSON that was checked. `finish` makes of it what is to be kept. */
  static ofText<T extends KubernetesObject>(
    key: string,
    resourceVersion: string,
    text: string,
    finish: (object: T) => T,
  ): Sighting<T> {
    return new Sighting(key, resourceVersion, text, finish);
  }

  static ofObject<T extends KubernetesObject>(object: T, finish: (object: T) => T): Sighting<T> {
    return new Sighting(keyOf(object), object.metadata.resourceVersion ?? '', finish(object), finish);
  }

  get object(): T {
    return typeof this.#held === 'string' ? this.read() : this.#held;
  }

  /** Reads it now, for what is kept may be smaller than the text. */
  read(): T {
    if (typeof this.#held === 'string') this.#held = this.#finish(JSON.parse(this.#held) as T);
    return this.#held;
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')));
  }

  /** Roughly how many bytes its JSON has; the object takes about twice as much once it is read. */
  get size(): number {
    if (this.#size === 0) this.#size = JSON.stringify(this.#held, textOfBigint).length;
    return this.#size;
  }

  get isRead(): boolean {
    return typeof this.#held !== 'string';
  }
}

export function keyOf({ metadata: { namespace, name = '' } }: KubernetesObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

function textOfBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
