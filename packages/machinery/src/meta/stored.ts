import type { KubernetesObject } from './object-meta.ts';
import type { Scope } from './resource-type.ts';

/**
 * An object as a server returned it: it has a name, a uid, a resourceVersion and a creation time, and a namespace where
 * its kind has one. It can be used wherever a `T` can. Kinds that a server does not store, such as reviews, lack these.
 */
export type Stored<T extends KubernetesObject, S extends Scope = Scope> = T & { readonly metadata: StoredMeta<S> };

/** The metadata that every stored object has. */
export type StoredMeta<S extends Scope = Scope> = {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
} & ([S] extends ['Namespaced'] ? { namespace: string } : unknown);

/**
 * A stored object that a cache shares among all its readers: writing to it, or to anything in it, does not compile. It
 * can be passed to functions that take a `T` and only read it; `const mine: T = structuredClone(object)` may be
 * changed.
 */
export type Cached<T extends KubernetesObject, S extends Scope = Scope> = DeepReadonly<Stored<T, S>>;

/** The same value, read-only. It stays assignable to `T`, arrays included. */
export type DeepReadonly<T> = T extends readonly (infer E)[]
  ? ReadArray<E>
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/**
 * A read-only array. Unlike `readonly E[]` it can be passed to functions that take an `E[]`, as the interfaces of kinds
 * declare their lists. Its mutating methods require an `UnsharedArray` as `this`, so calling them does not compile.
 */
export interface ReadArray<E> extends Array<DeepReadonly<E>> {
  readonly [index: number]: DeepReadonly<E>;
  readonly length: number;
  push(this: UnsharedArray, ...items: DeepReadonly<E>[]): number;
  pop(this: UnsharedArray): DeepReadonly<E> | undefined;
  shift(this: UnsharedArray): DeepReadonly<E> | undefined;
  unshift(this: UnsharedArray, ...items: DeepReadonly<E>[]): number;
  splice(this: UnsharedArray, start: number, deleteCount?: number, ...items: DeepReadonly<E>[]): DeepReadonly<E>[];
  sort(this: UnsharedArray, compare?: (a: DeepReadonly<E>, b: DeepReadonly<E>) => number): this;
  reverse(this: UnsharedArray): DeepReadonly<E>[];
  fill(this: UnsharedArray, value: DeepReadonly<E>, start?: number, end?: number): this;
  copyWithin(this: UnsharedArray, target: number, start: number, end?: number): this;
}

/** Has no values. Its name explains, in the compiler's message, why an array of a cache cannot be changed. */
export interface UnsharedArray {
  readonly [unshared]: never;
}
declare const unshared: unique symbol;
