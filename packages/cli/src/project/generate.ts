import type {
  GenerateCrdsOptions,
  GenerateDocsOptions,
  GenerateManifestsOptions,
  GenerateTypesOptions,
} from '@pintle/generate';
import {
  clusterDefinitions,
  generateCrds,
  generateDocs,
  generateManifests,
  generateTypes,
  readDefinitions,
} from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { UsageError } from '../usage-error.ts';
import { showChanges } from './show-changes.ts';

/** `pintle generate manifests` */
export async function manifests({
  output,
  ...options
}: GenerateManifestsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  showChanges(await generateManifests(process.cwd(), { ...options, onWarning: warn }), { output });
}

function warn(text: string): void {
  process.stderr.write(`pintle: ${text}\n`);
}

export interface TypesFlags extends GenerateTypesOptions {
  readonly from?: readonly string[];
  readonly cluster?: boolean;
  readonly context?: string;
  readonly output?: 'text' | 'json';
}

/** `pintle generate types` */
export async function types({ output, from = [], cluster = false, context, ...options }: TypesFlags): Promise<void> {
  if (!cluster && from.length === 0) throw new UsageError('Say --from or --cluster');
  const definitions = from.flatMap((path) => readDefinitions(path));
  if (cluster) definitions.push(...(await definitionsOfCluster(context)));
  showChanges(generateTypes(process.cwd(), definitions, options), { output });
}

async function definitionsOfCluster(context: string | undefined): Promise<CustomResourceDefinition[]> {
  const { connect, loadConfig } = await import('@pintle/client');
  await using client = await connect(await loadConfig(context === undefined ? {} : { context }));
  return await clusterDefinitions(client);
}

/** `pintle generate crds` */
export function crds({ output, ...options }: GenerateCrdsOptions & { readonly output?: 'text' | 'json' }): void {
  showChanges(generateCrds(process.cwd(), options), { output });
}

/** `pintle generate docs` */
export async function docs({
  output,
  ...options
}: GenerateDocsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  showChanges(await generateDocs(process.cwd(), options), { output });
}
