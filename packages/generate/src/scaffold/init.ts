import { type FileChange, GenerateError } from '../errors.ts';
import { Changes } from '../project/changes.ts';
import { checkDomain, checkLicense, checkName } from '../project/names.ts';
import { LAYOUT, PROJECT_FILE, type Project, projectText, readProject } from '../project/project.ts';
import { scaffoldFiles, scaffoldOf } from './scaffold-files.ts';
import { projectFiles } from './templates/project-files.ts';
import { type PackageSource, putPackages, templateOf } from './vendored-packages.ts';

export interface InitOptions extends PackageSource {
  readonly name: string;
  readonly domain: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
  readonly sharded?: boolean;
}

/**
 * Creates a project in a folder. Throws Exists when files would be overwritten. A folder with the same project is left as it
 * is.
 */
export function initProject(directory: string, options: InitOptions): readonly FileChange[] {
  const { name, domain, license = 'Apache-2.0', multigroup = false, namespaced = false, sharded = false } = options;
  checkName(name);
  checkDomain(domain);
  checkLicense(license);
  const settings = { name, domain, license, multigroup, namespaced, ...(sharded && { sharded }) };
  const changes = new Changes(directory);
  if (isBegun(changes, directory, settings)) return changes.all;
  const bare: Project = { layout: LAYOUT, ...settings, resources: [] };
  const template = templateOf(options);
  const project: Project = { ...bare, scaffold: scaffoldOf(template, scaffoldFiles(bare, template)) };
  changes.create(PROJECT_FILE, projectText(project));
  for (const [path, text] of Object.entries(projectFiles(project, template))) changes.create(path, text);
  putPackages(changes, directory, options);
  return changes.write();
}

type Settings = Pick<Project, 'name' | 'domain' | 'license' | 'multigroup' | 'namespaced' | 'sharded'>;

/** True when the folder has the same project. Throws OtherProject when it has one with other settings. */
function isBegun(changes: Changes, directory: string, settings: Settings): boolean {
  if (changes.read(PROJECT_FILE) === undefined) return false;
  const present = readProject(directory);
  const isSame =
    present.sharded === settings.sharded &&
    Object.entries(settings).every(([key, value]) => present[key as keyof Settings] === value);
  if (!isSame) throw new GenerateError({ code: 'OtherProject', path: directory });
  return true;
}
