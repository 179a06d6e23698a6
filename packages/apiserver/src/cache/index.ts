export { FollowedObjects } from './followed-objects.ts';
export type { StoreView } from './store-follower.ts';
export { isHistoryLost, StoreFollower } from './store-follower.ts';
