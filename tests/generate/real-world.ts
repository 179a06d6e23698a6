import { join } from 'node:path';
import { writtenDefinition } from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';

const FOLDER = join(import.meta.dirname, '../../packages/kube-apiserver/src/testing/real-world');
const MODULES: Readonly<Record<string, readonly string[]>> = {
  'certificates.ts': ['certificates', 'issuers'],
  'clusters.ts': ['clusters', 'machineDeployments'],
  'routes.ts': ['gateways', 'routes'],
};

/** The definitions that the API server is tried with. */
export async function realWorldDefinitions(): Promise<CustomResourceDefinition[]> {
  const found: CustomResourceDefinition[] = [];
  for (const [file, names] of Object.entries(MODULES)) {
    const module = (await import(join(FOLDER, file))) as Record<string, CustomResourceDefinition>;
    found.push(...names.map((name) => writtenDefinition(module[name]!)));
  }
  return found;
}
