import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import type { Changes } from '../project/changes.ts';
import { type TemplateOptions, VENDOR_FOLDER } from './templates/project-files.ts';

/** Where the packages of pintle come from that a project depends on. */
export interface PackageSource {
  readonly version: string;
  /** The folder that holds them as files, which are copied into the project. Absent: a registry has them. */
  readonly packageFolder?: string;
}

/** Copies the packages of a folder into the project, and takes those away that were there for another version. */
export function putPackages(changes: Changes, directory: string, { version, packageFolder }: PackageSource): void {
  const wanted = packageFolder === undefined ? [] : packagesIn(packageFolder, version);
  for (const file of wanted) changes.copy(`${VENDOR_FOLDER}/${file}`, join(packageFolder!, file));
  for (const file of packageFiles(join(directory, VENDOR_FOLDER)))
    if (!wanted.includes(file)) changes.delete(`${VENDOR_FOLDER}/${file}`);
}

/** How templates name them. */
export function templateOf({ version, packageFolder }: PackageSource): TemplateOptions {
  return { version, isVendored: packageFolder !== undefined };
}

/** Whether a dependency is a file that the tool put into the project. */
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
