import type { ObjectMeta } from '../../generated/meta/v1.ts';

/** Takes away annotations that are fields in disguise, and with the last of them the map. */
export function dropAnnotations(metadata: Pick<ObjectMeta, 'annotations'> | undefined, names: readonly string[]): void {
  const annotations = metadata?.annotations;
  if (annotations === undefined || !names.some((name) => Object.hasOwn(annotations, name))) return;
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  if (kept.length > 0) metadata!.annotations = Object.fromEntries(kept);
  else delete metadata!.annotations;
}
