export type { JsonPatch, JsonPatchOperation } from './json-patch.ts';
export { applyJsonPatch, readJsonPatch, unknownMembers } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export type { PatchFailure } from './patch-error.ts';
export { PatchError } from './patch-error.ts';
export { diffStrategic } from './strategic-diff.ts';
export { applyStrategicPatch } from './strategic-patch.ts';
export { printPatch, unrestorable } from './strategic-restore.ts';
