import type { KubernetesObject } from '@pintle/machinery';

/** Something happened to an object. A bookmark only says how far the watch has come. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly isEndOfInitialEvents: boolean };

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
