import type { KubernetesObject } from '@pintle/machinery';

/** Holds the JSON of objects until they are parsed. */
export interface TextSource<T> {
  /** Parses the object at these offsets. Throws a `ClientError` when it is not an object with that key. */
  read(key: string, start: number, end: number): T;
  /** Returns the part of an object that is kept. */
  transform(object: T): T;
}

/** Object from the server whose key and resourceVersion are known, and whose JSON is parsed on first access. */
export class LazyObject<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly resourceVersion: string;
  #source: TextSource<T> | undefined;
  #start: number;
  #end: number;
  #object: T | undefined;

  private constructor(
    key: string,
    resourceVersion: string,
    object: T | undefined,
    source: TextSource<T> | undefined,
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

  /** `start` and `end` are the offsets of its JSON in the source. */
  static ofText<T extends KubernetesObject>(
    key: string,
    resourceVersion: string,
    source: TextSource<T>,
    start: number,
    end: number,
  ): LazyObject<T> {
    return new LazyObject(key, resourceVersion, undefined, source, start, end);
  }

  static ofObject<T extends KubernetesObject>(object: T, transform: (object: T) => T): LazyObject<T> {
    const { resourceVersion = '' } = object.metadata;
    return new LazyObject<T>(keyOf(object), resourceVersion, transform(object), undefined, 0, 0);
  }

  get value(): T {
    return this.#object ?? this.read();
  }

  /** Parses and transforms the object now. Throws a `ClientError` when the server did not send an object. */
  read(): T {
    const source = this.#source;
    if (source !== undefined) {
      const whole = source.read(this.key, this.#start, this.#end);
      this.#object = source.transform(whole);
      this.#source = undefined;
      if (this.#object !== whole) this.#end = this.#start;
    }
    return this.#object!;
  }

  get namespace(): string {
    return this.key.slice(0, Math.max(0, this.key.indexOf('/')));
  }

  /** Approximate size of its JSON in bytes; the parsed object takes about twice as much memory. */
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
