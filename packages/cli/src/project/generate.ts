import type {
  FileChange,
  GenerateBundleOptions,
  GenerateCrdsOptions,
  GenerateDocsOptions,
  GenerateManifestsOptions,
  GenerateTypesOptions,
} from '@pintle/generate';
import {
  bundlePlace,
  clusterDefinitions,
  fetchDefinitions,
  GenerateError,
  generateBundle,
  generateCrds,
  generateDocs,
  generateManifests,
  generateTypes,
  readDefinitions,
  readProject,
} from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { UsageError } from '../usage-error.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
import { projectDirectory } from './project-directory.ts';
import type { ShowOptions } from './show-changes.ts';
import { showChanges } from './show-changes.ts';

/** `pintle generate manifests` */
export async function manifests({
  output,
  ...options
}: GenerateManifestsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  await shown({ output }, () => generateManifests(projectDirectory(), { ...options, onWarning: warn }));
}

/** Shows the changes. With JSON output, also those that a failed check found. */
async function shown(
  options: ShowOptions,
  work: () => Promise<readonly FileChange[]> | readonly FileChange[],
): Promise<void> {
  try {
    showChanges(await work(), options);
  } catch (error) {
    if (options.output === 'json' && error instanceof GenerateError && error.failure.code === 'Stale')
      showChanges(error.failure.changes, { output: 'json' });
    throw error;
  }
}

function warn(text: string): void {
  process.stderr.write(`pintle: ${text}\n`);
}

interface TypesFlags extends GenerateTypesOptions, ClusterFlags {
  readonly from?: readonly string[];
  readonly url?: readonly string[];
  readonly cluster?: boolean;
  readonly output?: 'text' | 'json';
}

/** `pintle generate types`: --context and --kubeconfig imply --cluster. */
export async function types(flags: TypesFlags): Promise<void> {
  const { output, from = [], url = [], context, kubeconfig, cluster, ...options } = flags;
  const hasCluster = cluster ?? (context !== undefined || kubeconfig !== undefined);
  if (!hasCluster && from.length === 0 && url.length === 0)
    throw new UsageError('Cannot generate types: pass --from, --url, --cluster or --context');
  const definitions = from.flatMap((path) => readDefinitions(path));
  for (const each of url) definitions.push(...(await fetchDefinitions(each)));
  if (hasCluster) definitions.push(...(await definitionsOfCluster(flags)));
  if (definitions.length === 0) throw new UsageError('Cannot generate types: found no CustomResourceDefinition');
  await shown({ output }, () => generateTypes(projectDirectory(), definitions, options));
}

async function definitionsOfCluster(flags: ClusterFlags): Promise<CustomResourceDefinition[]> {
  await using client = await connectTo(flags);
  return await clusterDefinitions(client);
}

/** `pintle generate crds` */
export async function crds({
  output,
  ...options
}: GenerateCrdsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  await shown({ output }, () => generateCrds(projectDirectory(), options));
}

/** `pintle generate docs` */
export async function docs({
  output,
  ...options
}: GenerateDocsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  await shown({ output }, () => generateDocs(projectDirectory(), options));
}

interface BundleFlags extends GenerateBundleOptions {
  readonly output?: 'text' | 'json';
}

/** `pintle generate bundle` */
export async function bundle({ output, ...options }: BundleFlags): Promise<void> {
  const { folder = 'bundle' } = options;
  const directory = projectDirectory();
  const { context } = bundlePlace(directory, folder);
  const next = [`docker build -f ${folder}.Dockerfile -t ${readProject(directory).name}-bundle ${context}`];
  await shown({ output, next }, () => generateBundle(directory, { ...options, onWarning: warn }));
}
