import type { KubernetesObject } from '@pintle/machinery';

/** Texts of many objects, one after the other. It lives as long as one of them is unread. */
export interface Slab {
  readonly bytes: Buffer;
  readonly encoding: 'latin1' | 'utf8';
}

/** An object as it came from the server: what finds it is known, the rest is read when somebody looks at it. */
export class Sighting<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly resourceVersion: string;
  readonly #finish: (object: T) => T;
  /** Where its JSON is, until it is read. */
  #slab: Slab | undefined;
  readonly #start: number;
  readonly #end: number;
  #object: T | undefined;
  /** Bytes of its JSON; 0: unknown. */
  #size: number;

  private constructor(
    key: string,
    resourceVersion: string,
    finish: (object: T) => T,
    object: T | undefined,
    slab: Slab | undefined,
    start: number,
    end: number,
  ) {
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.#finish = finish;
    this.#object = object;
    this.#slab = slab;
    this.#start = start;
    this.#end = end;
    this.#size = end - start;
  }

  /** What stands there is JSON that was checked. `finish` makes of it what is to be kept. */
  static ofText<T extends KubernetesObject>(
    key: string,
    resourceVersion: string,
    text: { readonly slab: Slab; readonly start: number; readonly end: number },
    finish: (object: T) => T,
  ): Sighting<T> {
    return new Sighting(key, resourceVersion, finish, undefined, text.slab, text.start, text.end);
  }

  static ofObject<T extends KubernetesObject>(object: T, finish: (object: T) => T): Sighting<T> {
    const { resourceVersion = '' } = object.metadata;
    return new Sighting(keyOf(object), resourceVersion, finish, finish(object), undefined, 0, 0);
  }

  get object(): T {
    return this.#object ?? this.read();
  }

  /** Reads it now, for what is kept may be smaller than the text. */
  read(): T {
    if (this.#slab !== undefined) {
      const { bytes, encoding } = this.#slab;
      const whole = JSON.parse(bytes.toString(encoding, this.#start, this.#end)) as T;
      this.#object = this.#finish(whole);
      this.#slab = undefined;
      if (this.#object !== whole) this.#size = 0;
    }
    return this.#object!;
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')));
  }

  /** Roughly how many bytes its JSON has; the object takes about twice as much once it is read. */
  get size(): number {
    if (this.#size === 0) this.#size = JSON.stringify(this.#object, textOfBigint).length;
    return this.#size;
  }

  get isRead(): boolean {
    return this.#object !== undefined;
  }
}

export function keyOf({ metadata: { namespace, name = '' } }: KubernetesObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

function textOfBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
