import type { FileChange } from './changes.ts';
import { Changes } from './changes.ts';
import { checkDomain, checkName } from './names.ts';
import type { Project } from './project.ts';
import { LAYOUT, PROJECT_FILE, projectText } from './project.ts';
import type { TemplateOptions } from './templates/project-files.ts';
import { projectFiles } from './templates/project-files.ts';

export interface InitOptions extends TemplateOptions {
  readonly name: string;
  readonly domain: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
}

/** Begins a project in a folder. Files that are there already stay; throws Exists when one of them is in the way. */
export function initProject(directory: string, options: InitOptions): readonly FileChange[] {
  const { name, domain, license = 'Apache-2.0', multigroup = false, namespaced = false } = options;
  checkName(name);
  checkDomain(domain);
  const project: Project = { layout: LAYOUT, name, domain, license, multigroup, namespaced, resources: [] };
  const changes = new Changes(directory);
  changes.create(PROJECT_FILE, projectText(project));
  for (const [path, text] of Object.entries(projectFiles(project, options))) changes.create(path, text);
  return changes.write();
}
