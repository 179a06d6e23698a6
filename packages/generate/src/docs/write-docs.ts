import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { FileChange } from '../errors.ts';
import { loadOperator } from '../operator/load-operator.ts';
import { Changes, finish } from '../project/changes.ts';
import { readProject } from '../project/project.ts';
import { readDefinitions } from '../types/read-definitions.ts';
import { apiReference } from './reference.ts';

export interface GenerateDocsOptions {
  /** Files or folders with CRDs. Default: the CRDs of the project. */
  readonly from?: readonly string[];
  /** File to write. Default: docs/api.md. */
  readonly out?: string;
  readonly title?: string;
  /** Writes nothing; throws Stale when files are out of date. */
  readonly check?: boolean;
}

/** Writes an API reference of the resources of a project. */
export async function generateDocs(
  directory: string,
  options: GenerateDocsOptions = {},
): Promise<readonly FileChange[]> {
  const { from, out = 'docs/api.md', title, check = false } = options;
  const definitions = from?.length ? from.flatMap((path) => readDefinitions(path)) : await ofProject(directory);
  const changes = new Changes(directory);
  changes.put(out, apiReference(definitions, title));
  return finish(changes, check);
}

async function ofProject(directory: string): Promise<readonly CustomResourceDefinition[]> {
  const project = readProject(directory);
  return (await loadOperator(directory, project, { namespace: `${project.name}-system` })).definitions;
}
