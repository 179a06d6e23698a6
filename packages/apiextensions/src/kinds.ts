export type { ComputedObjects, ComputedQuery, ServedKind } from './serve-kinds.ts';
export { servedKind, serveKinds } from './serve-kinds.ts';
