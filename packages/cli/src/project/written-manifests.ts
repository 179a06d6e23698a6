import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@pintle/generate';
import { parseYaml } from '@pintle/machinery/yaml';

/** Whether `pintle generate manifests` has written into the usual folder. */
export function hasManifests(directory: string): boolean {
  return existsSync(join(directory, 'manifests', 'install.yaml'));
}

/** The namespace that manifests were written for, where they are. Other flags are remembered in the project's settings. */
export function writtenWith(directory: string): { namespace?: string } {
  const path = join(directory, 'manifests', 'manager', 'namespace.yaml');
  const written = existsSync(path) ? parseYaml(readFileSync(path, 'utf8')) : undefined;
  const namespace = (written as Partial<Manifest['object']> | undefined)?.metadata?.name;
  return namespace === undefined ? {} : { namespace };
}
