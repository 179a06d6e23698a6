import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { checkDomain, checkGroup, checkKind, checkName, checkVersion, kebab } from './names.ts';

export const PROJECT_FILE = 'pintle.json';
/** Of how a scaffold looks; `pintle upgrade` brings older ones up to it. */
export const LAYOUT = 4;

/** What is written down about a project: what it was asked for, so that more can be added to it. */
export interface Project {
  readonly layout: number;
  readonly name: string;
  readonly domain: string;
  readonly license: string;
  /** Each group of resources has a folder of its own. */
  readonly multigroup: boolean;
  /** The operator looks after its own namespace only. */
  readonly namespaced: boolean;
  readonly resources: readonly ProjectResource[];
  /** How the operator is deployed. People write it; it is checked where it is used. */
  readonly deployment?: DeploymentSettings;
  /** Absent in projects that were begun before it was written down. */
  readonly scaffold?: Scaffold;
}

/** What was written when the project was begun or last upgraded. */
export interface Scaffold {
  /** Of the tool that wrote it. */
  readonly version: string;
  /** The packages it depends on are files in the project's folder `vendor`. */
  readonly isVendored?: boolean;
  /** Fingerprints by path: a file that still has its own was not touched since. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ProjectResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Defined here, and not elsewhere as the built-in kinds are. */
  readonly isDefined: boolean;
  readonly hasController: boolean;
  readonly webhooks: readonly WebhookKind[];
}

export const WEBHOOK_KINDS = ['defaulting', 'validation', 'conversion'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Throws NotAProject where there is none, BadProjectFile when it is not what was written. */
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

/** Always in the same order, whatever was added last. */
export function projectText({ deployment, scaffold, ...project }: Project): string {
  const content = { ...project, ...(deployment && { deployment }), ...(scaffold && { scaffold }) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** The project with the resource added, or in the place of the one with the same name. */
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
  const { layout, name, domain, license, multigroup, namespaced, resources, deployment, scaffold } =
    value as Partial<Project>;
  if (typeof layout !== 'number') throw new TypeError('layout is missing');
  if (layout > LAYOUT) throw new RangeError(`layout ${layout} is newer than this pintle: update it`);
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
  checkGroup(group);
  checkVersion(version);
  checkKind(kind);
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

/** The file that a project means by a module's name. */
export function resolveFrom(directory: string, specifier: string): string {
  try {
    return createRequire(join(directory, 'package.json')).resolve(specifier);
  } catch (error) {
    const detail = `${specifier.replace(/\/package\.json$/, '')} is not installed; run npm install`;
    throw new GenerateError({ code: 'NoOperator', path: directory, detail }, { cause: error });
  }
}

/** Where the files of a resource are, from the project's folder. */
export function folderOf({ multigroup }: Project, { group, kind }: Pick<ProjectResource, 'group' | 'kind'>): string {
  const parts = ['src', ...(multigroup ? [group.split('.')[0] || 'core'] : []), kebab(kind)];
  return parts.join('/');
}
