import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { type Manager, type WebhookAddress, withDescriptions } from '@pintle/operator';
import { resourcesInSources, type SourceResources } from '../descriptions/source-descriptions.ts';
import { GenerateError } from '../errors.ts';
import { kebab } from '../project/names.ts';
import { folderOf, type Project, resolveFrom } from '../project/project.ts';
import { readObserved } from '../roles/observed-use.ts';
import type { RoleUse } from '../roles/rules.ts';
import { type SourceUses, usesInSources } from '../roles/source-uses.ts';
import { compileProject } from './compile-project.ts';

/** Facts about an operator, from its code. */
export interface OperatorFacts {
  /** CRDs, with descriptions from comments where the code sets none. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** Rules that its controllers and webhooks declare. */
  readonly rules: readonly PolicyRule[];
  /** Rules that they declare for the namespace of the operator only. */
  readonly ownRules: readonly PolicyRule[];
  /** Rules that are declared by hand, with `manager.declare`. */
  readonly declared: readonly PolicyRule[];
  /** Calls in the sources that need rights. */
  readonly sources: SourceUses;
  /** Recorded API requests. */
  readonly observed: readonly RoleUse[];
  /** Names of CRDs that have a controller. */
  readonly controlled: readonly string[];
  /** Names of CRDs whose objects the operator converts between versions. */
  readonly converted: readonly string[];
  /** Absent when the operator has no webhooks. */
  readonly webhooks?: {
    readonly mutating: MutatingWebhookConfiguration;
    readonly validating: ValidatingWebhookConfiguration;
  };
}

export interface LoadOptions {
  /** Namespace of the operator. */
  readonly namespace: string;
}

/** Compiles the project and creates its operator, without running it. */
export async function loadOperator(
  directory: string,
  project: Project,
  { namespace }: LoadOptions,
): Promise<OperatorFacts> {
  await compileProject(directory);
  const service = { namespace, name: `${project.name}-webhooks` };
  const manager = await managerOf(directory, project, service);
  const path = join(directory, 'dist', 'operator.js');
  const { addOperator } = await explaining(directory, () =>
    loaded<{ addOperator?: (manager: Manager) => unknown }>(path),
  );
  if (typeof addOperator !== 'function') {
    throw new GenerateError({
      code: 'NoOperator',
      path: 'src/operator.ts',
      detail: 'it does not export a function addOperator',
    });
  }
  await explaining(directory, () => addOperator(manager));
  // Reads the roles first: reading the webhooks adds rights that an operator without webhooks does not need.
  const roles = manager.roles();
  const definitions = new Map(
    [...manager.resources.map(({ definition }) => definition), ...(await definitionsApart(directory, project))].map(
      (definition) => [definition.metadata.name ?? '', definition],
    ),
  );
  const converted = manager.webhooks.converted.map(({ definition }) => definition.metadata.name ?? '').sort();
  for (const name of converted) definitions.set(name, convertedBy(service, definitions.get(name)!));
  const webhooks = manager.webhooks.isEmpty ? undefined : manager.webhooks.configurations({ service });
  const { descriptions } = projectResources(directory, project);
  const rulesIn = (kind: string): PolicyRule[] =>
    roles.flatMap((role) => (role.kind === kind ? (role.rules ?? []) : []));
  return {
    definitions: [...definitions.values()]
      .map((definition) => withDescriptions(definition, descriptions))
      .sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1)),
    rules: rulesIn('ClusterRole'),
    ownRules: rulesIn('Role'),
    declared: manager.declaredRules(),
    sources: await usesInSources(directory),
    observed: readObserved(directory),
    controlled: manager.resources.map(({ definition }) => definition.metadata.name ?? '').sort(),
    converted,
    ...(webhooks && { webhooks }),
  };
}

/** Turns an error of the project's code into a GenerateError with its message and location. */
async function explaining<T>(directory: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
    const dist = join(directory, 'dist');
    const frame = stack.split('\n').find((line) => line.trimStart().startsWith('at ') && line.includes(dist));
    const location =
      frame === undefined ? '' : ` (dist${frame.slice(frame.indexOf(dist) + dist.length).replace(/\)$/, '')})`;
    const detail = `it throws ${message}${location}`;
    throw new GenerateError({ code: 'NoOperator', path: 'src/operator.ts', detail }, { cause: error });
  }
}

/** Returns the CRD with a conversion webhook. */
function convertedBy(
  service: NonNullable<WebhookAddress['service']>,
  definition: CustomResourceDefinition,
): CustomResourceDefinition {
  const clientConfig = { service: { ...service, path: '/convert' } };
  const conversion = { strategy: 'Webhook' as const, webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return { ...definition, spec: { ...definition.spec, conversion } };
}

/** Creates a manager with the packages of the project, not those of this command. */
async function managerOf(
  directory: string,
  { name }: Project,
  service: NonNullable<WebhookAddress['service']>,
): Promise<Manager> {
  const operator = await loaded<typeof import('@pintle/operator')>(resolveFrom(directory, '@pintle/operator'));
  return new operator.Manager({ name, webhooks: { service } });
}

/** Returns the compiled modules of resources without a controller, and the kind that each exports. */
export function resourcesWithoutController(
  directory: string,
  project: Project,
): { readonly path: string; readonly kind: string }[] {
  return modulesApart(project).map(({ path, kind }) => ({
    path: join(directory, path.replace(/^src/, 'dist').replace(/ts$/, 'js')),
    kind,
  }));
}

function modulesApart(project: Project): { readonly path: string; readonly kind: string }[] {
  return project.resources
    .filter(({ isDefined, hasController }) => isDefined && !hasController)
    .map((resource) => ({
      path: `${folderOf(project, resource)}/${kebab(resource.kind)}.ts`,
      kind: resource.kind,
    }));
}

/** Reads the resources of a project from its sources. */
export function projectResources(directory: string, project: Project): SourceResources {
  const apart = modulesApart(project).map(({ path }) => path);
  return resourcesInSources(directory, ['src/operator.ts', 'src/main.ts', ...apart]);
}

async function definitionsApart(directory: string, project: Project): Promise<CustomResourceDefinition[]> {
  const found: CustomResourceDefinition[] = [];
  for (const { path, kind } of resourcesWithoutController(directory, project)) {
    const exported = (await loaded<Record<string, { definition?: CustomResourceDefinition }>>(path))[kind];
    if (exported?.definition !== undefined) found.push(exported.definition);
  }
  return found;
}

async function loaded<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(path).href)) as T;
}
