import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { Changes } from '../project/changes.ts';
import { type TemplateOptions, VENDOR_FOLDER } from './templates/project-files.ts';

/** Source of the packages of pintle that a project depends on. */
export interface PackageSource {
  readonly version: string;
  /** Folder of package files, which are copied into the project. Default: a registry. */
  readonly packageFolder?: string;
}

/** Copies the packages of a folder into the project, and deletes those of another version. */
export function putPackages(changes: Changes, directory: string, { version, packageFolder }: PackageSource): void {
  const wanted = packageFolder === undefined ? [] : packagesIn(packageFolder, version);
  for (const file of wanted) changes.copy(`${VENDOR_FOLDER}/${file}`, join(packageFolder!, file));
  for (const file of packageFiles(join(directory, VENDOR_FOLDER)))
    if (!wanted.includes(file)) changes.delete(`${VENDOR_FOLDER}/${file}`);
}

/** Returns the options of templates for a source. */
export function templateOf({ version, packageFolder }: PackageSource): TemplateOptions {
  return { version, isVendored: packageFolder !== undefined };
}

/** True for a dependency on a file that the tool copied into the project. */
export function isVendoredSpec(spec: string): boolean {
  return /^file:vendor\/pintle-[^/]+\.tgz$/.test(spec);
}

function packagesIn(folder: string, version: string): string[] {
  const found = packageFiles(folder).filter((file) => file.endsWith(`-${version}.tgz`));
  if (found.length === 0) throw new GenerateError({ code: 'NoPackages', folder, version });
  return found;
}

function packageFiles(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => /^pintle-.+\.tgz$/.test(file))
        .sort()
    : [];
}
