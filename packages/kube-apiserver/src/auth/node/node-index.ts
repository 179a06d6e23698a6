import type { StoreView } from '@pintle/apiserver/cache';
import { decodeObject } from '@pintle/apiserver/storage';
import type { Pod } from '@pintle/kinds/core/v1';
import type { StoreRecord } from '@pintle/store';
import { referencesOf } from './pod-references.ts';

interface BoundPod {
  readonly node: string;
  readonly references: ReadonlySet<string>;
}

/** Index of pods by node, with the objects that the node has to read for them. */
export class NodeIndex implements StoreView {
  /** By storage key. */
  readonly #pods = new Map<string, BoundPod>();
  /** By node: the number of its pods that need an object. */
  readonly #needs = new Map<string, Map<string, number>>();

  clear(): void {
    this.#pods.clear();
    this.#needs.clear();
  }

  put(record: StoreRecord): void {
    this.remove(record);
    const pod = decodeObject(record, 'Pod') as Pod;
    const node = pod.spec?.nodeName ?? '';
    if (node === '') return;
    const { namespace = '', name = '' } = pod.metadata;
    const references = new Set([...referencesOf(pod), `pods/${namespace}/${name}`]);
    this.#pods.set(record.key, { node, references });
    const needs = this.#needs.get(node) ?? new Map<string, number>();
    this.#needs.set(node, needs);
    for (const reference of references) needs.set(reference, (needs.get(reference) ?? 0) + 1);
  }

  remove({ key }: Pick<StoreRecord, 'key'>): void {
    const bound = this.#pods.get(key);
    if (bound === undefined) return;
    this.#pods.delete(key);
    const needs = this.#needs.get(bound.node)!;
    for (const reference of bound.references) {
      const left = needs.get(reference)! - 1;
      if (left === 0) needs.delete(reference);
      else needs.set(reference, left);
    }
    if (needs.size === 0) this.#needs.delete(bound.node);
  }

  /** True when some pod on the node needs the object, as `secrets/namespace/name`. */
  needs(node: string, reference: string): boolean {
    return this.#needs.get(node)?.has(reference) ?? false;
  }

  /** Yields the objects of a kind that pods on the node need, as `namespace/name`. */
  *needed(node: string, kind: string): Iterable<string> {
    const prefix = `${kind}/`;
    for (const reference of this.#needs.get(node)?.keys() ?? []) {
      if (reference.startsWith(prefix)) yield reference.slice(prefix.length);
    }
  }
}
