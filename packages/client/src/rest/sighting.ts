import type { KubernetesObject } from '@pintle/machinery';

/** Where the JSON of an object is, until it is read. */
export interface Source<T> {
  /** The object of that key. Throws a `ClientError` when it is none. */
  read(key: string, start: number, end: number): T;
  /** Makes of an object what is to be kept. */
  finish(object: T): T;
}

/** An object as it came from the server: what finds it is known, the rest is read when somebody looks at it. */
export class Sighting<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly resourceVersion: string;
  #source: Source<T> | undefined;
  #start: number;
  #end: number;
  #object: T | undefined;

  private constructor(
    key: string,
    resourceVersion: string,
    object: T | undefined,
    source: Source<T> | undefined,
    start: number,
    end: number,
  ) {
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.#object = object;
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  /** Its text stands in the source between these places. */
  static ofText<T extends KubernetesObject>(
    key: string,
    resourceVersion: string,
    source: Source<T>,
    start: number,
    end: number,
  ): Sighting<T> {
    return new Sighting(key, resourceVersion, undefined, source, start, end);
  }

  static ofObject<T extends KubernetesObject>(object: T, finish: (object: T) => T): Sighting<T> {
    const { resourceVersion = '' } = object.metadata;
    return new Sighting<T>(keyOf(object), resourceVersion, finish(object), undefined, 0, 0);
  }

  get object(): T {
    return this.#object ?? this.read();
  }

  /** Reads it now, for what is kept may be smaller than the text. Throws when what the server sent is no object. */
  read(): T {
    const source = this.#source;
    if (source !== undefined) {
      const whole = source.read(this.key, this.#start, this.#end);
      this.#object = source.finish(whole);
      this.#source = undefined;
      if (this.#object !== whole) this.#end = this.#start;
    }
    return this.#object!;
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')));
  }

  /** Roughly how many bytes its JSON has; the object takes about twice as much once it is read. */
  get size(): number {
    if (this.#end === this.#start) this.#end = this.#start + JSON.stringify(this.#object, textOfBigint).length;
    return this.#end - this.#start;
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
