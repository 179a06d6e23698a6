import type { KubernetesObject } from '@pintle/machinery';
import type { Sighting } from './sighting.ts';

/** Something happened to an object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How far a watch has come; nothing happened. */
export interface Bookmark {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  readonly isEndOfInitialEvents: boolean;
}

/** Something happened to an object. A bookmark only says how far the watch has come. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: ChangeType; readonly object: T }
  | Bookmark;

/** The same, with an object that is read when somebody looks at it. */
export type SightedEvent<T extends KubernetesObject> =
  | { readonly type: ChangeType; readonly sighting: Sighting<T> }
  | Bookmark;

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
