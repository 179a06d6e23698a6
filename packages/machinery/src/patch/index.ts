export { applyJsonPatch } from './json-patch.ts';
export type { JsonPatch, JsonPatchOperation } from './json-patch-operations.ts';
export { readJsonPatch, unknownMembers } from './json-patch-operations.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export type { PatchFailure } from './patch-error.ts';
export { PatchError } from './patch-error.ts';
export { createStrategicPatch } from './strategic-diff.ts';
export { applyStrategicPatch } from './strategic-patch.ts';
export { printPatch, unrestorable } from './strategic-restore.ts';
