import type { KubernetesObject } from '@pintle/machinery';
import type { MergePatch } from './options.ts';

/**
 * Returns a merge patch for objects of a kind that only a type parameter names: the compiler cannot look into its fields
 * there, so whoever calls vouches for them.
 */
export function genericMergePatch<T extends KubernetesObject>(
  body: object,
): { readonly type: 'merge'; readonly body: MergePatch<T> } {
  return { type: 'merge', body: body as MergePatch<T> };
}
