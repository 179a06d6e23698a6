import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { checkDomain, checkName, checkResource, kebab } from './names.ts';

export const PROJECT_FILE = 'pintle.json';
/** Version of the scaffolded files. `pintle upgrade` upgrades older ones. */
export const LAYOUT = 5;

/** Content of pintle.json: the settings and resources of a project. */
export interface Project {
  readonly layout: number;
  readonly name: string;
  readonly domain: string;
  readonly license: string;
  /** True when each API group has its own folder. */
  readonly multigroup: boolean;
  /** True when the operator is restricted to its own namespace. */
  readonly namespaced: boolean;
  /** True when the replicas of the operator share its work. */
  readonly sharded?: boolean;
  readonly resources: readonly ProjectResource[];
  /** Settings of the deployment, written by users and checked where they are used. */
  readonly deployment?: DeploymentSettings;
  /** Absent in projects of versions that did not store it. */
  readonly scaffold?: Scaffold;
}

/** The scaffolded files when the project was created or last upgraded. */
export interface Scaffold {
  /** Version of the tool that wrote them. */
  readonly version: string;
  /** True when packages of pintle are files in the folder `vendor` of the project. */
  readonly isVendored?: boolean;
  /** Fingerprints by path. A file whose fingerprint is the same was not changed since. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ProjectResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** True when the project defines the resource; false for built-in and other kinds. */
  readonly isDefined: boolean;
  readonly hasController: boolean;
  readonly webhooks: readonly WebhookKind[];
}

export const WEBHOOK_KINDS = ['defaulting', 'validation', 'conversion'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Throws NotAProject when the folder has no project, BadProjectFile when its file is invalid. */
export function readProject(directory: string): Project {
  const path = join(directory, PROJECT_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new GenerateError({ code: 'NotAProject', path: directory });
  }
  try {
    return checked(JSON.parse(text));
  } catch (error) {
    throw new GenerateError({ code: 'BadProjectFile', path, detail: (error as Error).message }, { cause: error });
  }
}

/** Returns the content of pintle.json, with keys in a fixed order. */
export function projectText({ deployment, scaffold, ...project }: Project): string {
  const content = { ...project, ...(deployment && { deployment }), ...(scaffold && { scaffold }) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns the project with the resource added or replaced. */
export function withResource(project: Project, resource: ProjectResource): Project {
  const others = project.resources.filter((each) => !isSame(each, resource));
  const resources = [...others, resource].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  return { ...project, resources };
}

export function findResource(
  project: Project,
  wanted: Pick<ProjectResource, 'kind'> & Partial<Pick<ProjectResource, 'group' | 'version'>>,
): ProjectResource | undefined {
  return project.resources.find(
    ({ kind, group, version }) =>
      kind === wanted.kind && (wanted.group ?? group) === group && (wanted.version ?? version) === version,
  );
}

function isSame(a: ProjectResource, b: ProjectResource): boolean {
  return idOf(a) === idOf(b);
}

function idOf({ group, version, kind }: ProjectResource): string {
  return `${group}/${version}/${kind}`;
}

function checked(value: unknown): Project {
  const { layout, name, domain, license, multigroup, namespaced, sharded, resources, deployment, scaffold } =
    value as Partial<Project>;
  if (typeof layout !== 'number') throw new TypeError('layout is missing');
  if (layout > LAYOUT)
    throw new RangeError(`layout ${layout} is newer than this version of pintle; install a newer one`);
  if (!Array.isArray(resources)) throw new TypeError('resources is missing');
  if (deployment !== undefined && (typeof deployment !== 'object' || deployment === null || Array.isArray(deployment)))
    throw new TypeError('deployment must be an object');
  checkName(name ?? '');
  checkDomain(domain ?? '');
  return {
    layout,
    name: name!,
    domain: domain!,
    license: license ?? 'Apache-2.0',
    multigroup: multigroup === true,
    namespaced: namespaced === true,
    ...(sharded === true && { sharded }),
    resources: resources.map(checkedResource),
    ...(deployment !== undefined && { deployment }),
    ...(scaffold !== undefined && { scaffold: checkedScaffold(scaffold) }),
  };
}

function checkedScaffold({ version, isVendored, files }: Partial<Scaffold>): Scaffold {
  if (typeof version !== 'string') throw new TypeError('scaffold.version is missing');
  const prints = Object.entries(files ?? {}).filter(([, print]) => typeof print === 'string');
  return { version, ...(isVendored === true && { isVendored }), files: Object.fromEntries(prints) };
}

function checkedResource(value: Partial<ProjectResource>): ProjectResource {
  const { group = '', version = '', kind = '', scope, isDefined, hasController, webhooks = [] } = value;
  checkResource({ group, version, kind });
  return {
    group,
    version,
    kind,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    isDefined: isDefined !== false,
    hasController: hasController === true,
    webhooks: WEBHOOK_KINDS.filter((each) => webhooks.includes(each)),
  };
}

/** Resolves a module as the project does. */
export function resolveFrom(directory: string, specifier: string): string {
  try {
    return createRequire(join(directory, 'package.json')).resolve(specifier);
  } catch (error) {
    const detail = `${specifier.replace(/\/package\.json$/, '')} is not installed; run npm install`;
    throw new GenerateError({ code: 'NoOperator', path: directory, detail }, { cause: error });
  }
}

/** Returns the folder of a resource, from the folder of the project. */
export function folderOf({ multigroup }: Project, { group, kind }: Pick<ProjectResource, 'group' | 'kind'>): string {
  const parts = ['src', ...(multigroup ? [group.split('.')[0] || 'core'] : []), kebab(kind)];
  return parts.join('/');
}
