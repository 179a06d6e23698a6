import { quote } from '@pintle/machinery/errors';
import type { Volume, VolumeProjection } from '../../generated/core/v1.ts';

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
  return files.flatMap((file, index) =>
    files
      .slice(0, index)
      .filter((other) => overlap(file.path, other.path))
      .map((other) => `volume ${quote(name)} (${description}): overlapping paths: ${show(file)} with ${show(other)}`),
  );
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
  return (items ?? []).map(({ path = '' }) => ({ path: path.replace(/\/+$/, ''), source }));
}

function overlap(path: string, other: string): boolean {
  if (path === '' || other === '') return false;
  return `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`);
}

function show({ path, source }: PlacedFile): string {
  return source === '' ? quote(path) : `${quote(path)} (${source})`;
}
