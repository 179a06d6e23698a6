import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@pintle/generate';
import { parseYaml } from '@pintle/machinery/yaml';

/** True when `pintle generate manifests` has written to the default folder. */
export function hasManifests(directory: string): boolean {
  return existsSync(join(directory, 'manifests', 'install.yaml'));
}

/** Returns the namespace of existing manifests. Other flags are remembered in the settings of the project. */
export function writtenWith(directory: string): { namespace?: string } {
  const path = join(directory, 'manifests', 'manager', 'namespace.yaml');
  const written = existsSync(path) ? parseYaml(readFileSync(path, 'utf8')) : undefined;
  const namespace = (written as Partial<Manifest['object']> | undefined)?.metadata?.name;
  return namespace === undefined ? {} : { namespace };
}
