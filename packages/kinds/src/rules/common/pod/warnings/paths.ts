import { quote } from '@pintle/machinery/errors';
import type { Volume, VolumeProjection } from '../../../../generated/core/v1.ts';

interface PlacedFile {
  readonly path: string;
  readonly source: string;
}

type Items = readonly { readonly path?: string }[];

/** Files that are put into a volume at paths that lie in each other's way. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => [
    ...warn(volume, `ConfigMap ${quote(volume.configMap?.name ?? '')}`, placed(volume.configMap?.items)),
    ...warn(volume, `Secret ${quote(volume.secret?.secretName ?? '')}`, placed(volume.secret?.items)),
    ...warn(volume, 'DownwardAPI', placed(volume.downwardAPI?.items)),
    ...emptySources(volume),
    ...warn(volume, 'Projected', (volume.projected?.sources ?? []).flatMap(projectedFiles)),
  ]);
}

function warn({ name }: Volume, description: string, files: readonly PlacedFile[]): string[] {
  return overlaps(files).map(
    ([file, other]) => `volume ${quote(name)} (${description}): overlapping paths: ${show(file)} with ${show(other)}`,
  );
}

/** Nobody reads more: of files that are all at one path, each would be told with each. */
const MAX_WARNINGS = 1_000;

/**
 * Files with others before them that lie at the same path, above it or below it. In the order of their paths a directory
 * stands right before all that is inside it, so that those above a path are the last few that it begins with.
 */
function overlaps(files: readonly PlacedFile[]): (readonly [PlacedFile, PlacedFile])[] {
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

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): PlacedFile[] {
  if (configMap?.items) return placed(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items) return placed(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items) return placed(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken ? placed([serviceAccountToken], 'ServiceAccountToken') : [];
}

function placed(items: Items | undefined, source = ''): PlacedFile[] {
  return (items ?? []).map(({ path = '' }) => ({ path: withoutSlashes(path), source }));
}

/** A path without the slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function show({ path, source }: PlacedFile): string {
  return source === '' ? quote(path) : `${quote(path)} (${source})`;
}
