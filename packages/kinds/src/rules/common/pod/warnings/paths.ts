import { quote } from '@pintle/machinery/errors';
import type { Volume, VolumeProjection } from '../../../../generated/core/v1.ts';

interface FileAtPath {
  readonly path: string;
  readonly source: string;
}

type Items = readonly { readonly path?: string }[];

/** Warns about files of a volume whose paths overlap. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => [
    ...warn(volume, `ConfigMap ${quote(volume.configMap?.name ?? '')}`, placed(volume.configMap?.items)),
    ...warn(volume, `Secret ${quote(volume.secret?.secretName ?? '')}`, placed(volume.secret?.items)),
    ...warn(volume, 'DownwardAPI', placed(volume.downwardAPI?.items)),
    ...emptySources(volume),
    ...warn(volume, 'Projected', (volume.projected?.sources ?? []).flatMap(projectedFiles)),
  ]);
}

function warn({ name }: Volume, description: string, files: readonly FileAtPath[]): string[] {
  return overlaps(files).map(
    ([file, other]) => `volume ${quote(name)} (${description}): overlapping paths: ${show(file)} with ${show(other)}`,
  );
}

/** Most warnings: files with the same path would be reported in pairs. */
const MAX_WARNINGS = 1_000;

/**
 * Returns files with earlier ones at the same path, above it or below it. Sorted by path, a directory comes right
 * before its contents, so the parents of a path are the last few prefixes.
 */
function overlaps(files: readonly FileAtPath[]): (readonly [FileAtPath, FileAtPath])[] {
  const sorted = files
    .map(({ path }, index) => ({ directory: `${path}/`, index }))
    .filter(({ directory }) => directory !== '/');
  sorted.sort((a, b) => (a.directory < b.directory ? -1 : a.directory > b.directory ? 1 : a.index - b.index));
  const above: typeof sorted = [];
  const pairs: (readonly [later: number, earlier: number])[] = [];
  for (const file of sorted) {
    while (above.length > 0 && !file.directory.startsWith(above.at(-1)!.directory)) above.pop();
    for (const { index } of above) pairs.push([Math.max(index, file.index), Math.min(index, file.index)]);
    if (pairs.length > MAX_WARNINGS) break;
    above.push(file);
  }
  pairs.sort(([later, earlier], [otherLater, otherEarlier]) => later - otherLater || earlier - otherEarlier);
  return pairs.map(([later, earlier]) => [files[later]!, files[earlier]!]);
}

function emptySources({ name, projected }: Volume): string[] {
  return (projected?.sources ?? [])
    .filter((source) => Object.keys(source).length === 0)
    .map(() => `volume ${quote(name)} (Projected) has no sources provided`);
}

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): FileAtPath[] {
  if (configMap?.items) return placed(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items) return placed(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items) return placed(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken ? placed([serviceAccountToken], 'ServiceAccountToken') : [];
}

function placed(items: Items | undefined, source = ''): FileAtPath[] {
  return (items ?? []).map(({ path = '' }) => ({ path: withoutSlashes(path), source }));
}

/** Returns a path without trailing slashes. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function show({ path, source }: FileAtPath): string {
  return source === '' ? quote(path) : `${quote(path)} (${source})`;
}
