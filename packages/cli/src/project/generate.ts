import type {
  GenerateBundleOptions,
  GenerateCrdsOptions,
  GenerateDocsOptions,
  GenerateManifestsOptions,
  GenerateTypesOptions,
} from '@pintle/generate';
import {
  clusterDefinitions,
  fetchDefinitions,
  generateBundle,
  generateCrds,
  generateDocs,
  generateManifests,
  generateTypes,
  readDefinitions,
} from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { UsageError } from '../usage-error.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
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

export interface TypesFlags extends GenerateTypesOptions, ClusterFlags {
  readonly from?: readonly string[];
  readonly url?: readonly string[];
  readonly cluster?: boolean;
  readonly output?: 'text' | 'json';
}

/** `pintle generate types`: whoever names a cluster means it. */
export async function types(flags: TypesFlags): Promise<void> {
  const { output, from = [], url = [], context, kubeconfig, cluster, ...options } = flags;
  const hasCluster = cluster ?? (context !== undefined || kubeconfig !== undefined);
  if (!hasCluster && from.length === 0 && url.length === 0)
    throw new UsageError('Say --from, --url, --cluster or --context');
  const definitions = from.flatMap((path) => readDefinitions(path));
  for (const each of url) definitions.push(...(await fetchDefinitions(each)));
  if (hasCluster) definitions.push(...(await definitionsOfCluster(flags)));
  if (definitions.length === 0) throw new UsageError('There is no CustomResourceDefinition: nothing was written');
  showChanges(generateTypes(process.cwd(), definitions, options), { output });
}

async function definitionsOfCluster(flags: ClusterFlags): Promise<CustomResourceDefinition[]> {
  await using client = await connectTo(flags);
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

export interface BundleFlags extends GenerateBundleOptions {
  readonly output?: 'text' | 'json';
}

/** `pintle generate bundle` */
export async function bundle({ output, ...options }: BundleFlags): Promise<void> {
  const next = ['docker build -f bundle.Dockerfile -t NAME-bundle:VERSION .'];
  showChanges(await generateBundle(process.cwd(), options), { output, next });
}
