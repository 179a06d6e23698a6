import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { type Manager, type ResourceDescriptions, type WebhookAddress, withDescriptions } from '@pintle/operator';
import { descriptionsInSources } from '../descriptions/source-descriptions.ts';
import { GenerateError } from '../errors.ts';
import { kebab } from '../project/names.ts';
import { folderOf, type Project, resolveFrom } from '../project/project.ts';
import { readObserved } from '../roles/observed-use.ts';
import type { RoleUse } from '../roles/rules.ts';
import { type SourceUses, usesInSources } from '../roles/source-uses.ts';
import { compileProject } from './compile-project.ts';

/** What a project's code says of itself. */
export interface OperatorFacts {
  /** With descriptions from the comments of the sources, where the code itself has none. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** What its controllers and webhooks said they will do. */
  readonly rules: readonly PolicyRule[];
  /** What they said they will only do in the operator's own namespace. */
  readonly ownRules: readonly PolicyRule[];
  /** Those of them that were declared by hand, with `manager.declare`. */
  readonly declared: readonly PolicyRule[];
  /** Uses that its sources make of the kinds they hand to contexts and clients. */
  readonly sources: SourceUses;
  /** What it was seen to do. */
  readonly observed: readonly RoleUse[];
  /** Names of definitions whose objects it has a controller for. */
  readonly controlled: readonly string[];
  /** Names of definitions whose objects it converts between versions. */
  readonly converted: readonly string[];
  /** Absent when it has none. */
  readonly webhooks?: {
    readonly mutating: MutatingWebhookConfiguration;
    readonly validating: ValidatingWebhookConfiguration;
  };
}

export interface LoadOptions {
  /** Where the operator will run. */
  readonly namespace: string;
}

/** Compiles the project and asks its operator, which is put together but not run. */
export async function loadOperator(
  directory: string,
  project: Project,
  { namespace }: LoadOptions,
): Promise<OperatorFacts> {
  await compileProject(directory);
  const service = { namespace, name: `${project.name}-webhooks` };
  const manager = await managerOf(directory, project, service);
  const path = join(directory, 'dist', 'operator.js');
  const { addOperator } = await spoken(directory, () => loaded<{ addOperator?: (manager: Manager) => unknown }>(path));
  if (typeof addOperator !== 'function') {
    throw new GenerateError({
      code: 'NoOperator',
      path: 'src/operator.ts',
      detail: 'it exports no function addOperator',
    });
  }
  await spoken(directory, () => addOperator(manager));
  // Before webhooks are looked at: with them come rights, which an operator that has none does not need.
  const roles = manager.roles();
  const definitions = new Map(
    [...manager.resources.map(({ definition }) => definition), ...(await definitionsApart(directory, project))].map(
      (definition) => [definition.metadata.name ?? '', definition],
    ),
  );
  const converted = manager.webhooks.converted.map(({ definition }) => definition.metadata.name ?? '').sort();
  for (const name of converted) definitions.set(name, convertedBy(service, definitions.get(name)!));
  const webhooks = manager.webhooks.isEmpty ? undefined : manager.webhooks.configurations({ service });
  const descriptions = projectDescriptions(directory, project);
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

/** What the project's own code throws is its author's to mend: they are told what it was, and where. */
async function spoken<T>(directory: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (error) {
    const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
    const dist = join(directory, 'dist');
    const frame = stack.split('\n').find((line) => line.trimStart().startsWith('at ') && line.includes(dist));
    const place =
      frame === undefined ? '' : ` (dist${frame.slice(frame.indexOf(dist) + dist.length).replace(/\)$/, '')})`;
    const detail = `it throws ${message}${place}`;
    throw new GenerateError({ code: 'NoOperator', path: 'src/operator.ts', detail }, { cause: error });
  }
}

/** The definition, now that it is known who converts its versions. */
function convertedBy(
  service: NonNullable<WebhookAddress['service']>,
  definition: CustomResourceDefinition,
): CustomResourceDefinition {
  const clientConfig = { service: { ...service, path: '/convert' } };
  const conversion = { strategy: 'Webhook' as const, webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return { ...definition, spec: { ...definition.spec, conversion } };
}

/** Of the project's own framework, not the one this command came with. */
async function managerOf(
  directory: string,
  { name }: Project,
  service: NonNullable<WebhookAddress['service']>,
): Promise<Manager> {
  const operator = await loaded<typeof import('@pintle/operator')>(resolveFrom(directory, '@pintle/operator'));
  return new operator.Manager({ name, webhooks: { service } });
}

/** Compiled modules of resources that no controller looks after, and what each of them exports. */
export function definedApart(directory: string, project: Project): { readonly path: string; readonly kind: string }[] {
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

/** Reads what the comments in a project's sources say of the fields of its resources. */
export function projectDescriptions(directory: string, project: Project): readonly ResourceDescriptions[] {
  const apart = modulesApart(project).map(({ path }) => path);
  return descriptionsInSources(directory, ['src/operator.ts', 'src/main.ts', ...apart]);
}

async function definitionsApart(directory: string, project: Project): Promise<CustomResourceDefinition[]> {
  const found: CustomResourceDefinition[] = [];
  for (const { path, kind } of definedApart(directory, project)) {
    const exported = (await loaded<Record<string, { definition?: CustomResourceDefinition }>>(path))[kind];
    if (exported?.definition !== undefined) found.push(exported.definition);
  }
  return found;
}

async function loaded<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(path).href)) as T;
}
