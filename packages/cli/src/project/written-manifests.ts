import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@pintle/generate';
import { parseYaml } from '@pintle/machinery/yaml';

/** Whether `pintle generate manifests` has written into the usual folder. */
export function hasManifests(directory: string): boolean {
  return existsSync(join(directory, 'manifests', 'install.yaml'));
}

/** The flags that manifests were written with, as far as these say so. */
export function writtenWith(directory: string): { namespace?: string; replicas?: number } {
  const read = (file: string): unknown => {
    const path = join(directory, 'manifests', 'manager', file);
    return existsSync(path) ? parseYaml(readFileSync(path, 'utf8')) : undefined;
  };
  const namespace = (read('namespace.yaml') as Partial<Manifest['object']> | undefined)?.metadata?.name;
  const replicas = (read('deployment.yaml') as { spec?: { replicas?: number } } | undefined)?.spec?.replicas;
  return { ...(namespace !== undefined && { namespace }), ...(replicas !== undefined && { replicas }) };
}
