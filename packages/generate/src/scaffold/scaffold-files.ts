import { createHash } from 'node:crypto';
import { LAYOUT, type Project, type Scaffold } from '../project/project.ts';
import { OLDER_FILES } from './templates/older-files.ts';
import { projectFiles, type TemplateOptions } from './templates/project-files.ts';

/** Begun for people and theirs from then on: neither renewed nor written down. */
const THEIRS: ReadonlySet<string> = new Set(['src/operator.ts']);
/** Kept by npm and people alike: renewed field by field. */
export const PACKAGE_FILE = 'package.json';

/** What the tool keeps in a project, by path, as it was at a layout. */
export function scaffoldFiles(project: Project, options: TemplateOptions, layout = LAYOUT): Record<string, string> {
  const files: Record<string, string | undefined> = { ...projectFiles(project, options) };
  for (let older = LAYOUT - 1; older >= layout; older--)
    Object.assign(files, OLDER_FILES[older]?.(project, options) ?? {});
  const kept = Object.entries(files).filter(([path, text]) => text !== undefined && !THEIRS.has(path));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** What is written down about files as the tool wrote them. */
export function scaffoldOf(
  { version, isVendored = false }: TemplateOptions,
  files: Readonly<Record<string, string>>,
): Scaffold {
  const prints = Object.entries(files)
    .filter(([path]) => path !== PACKAGE_FILE)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => [path, fingerprint(text)]);
  return { version, ...(isVendored && { isVendored }), files: Object.fromEntries(prints) };
}

/** Line ends do not count: git may have changed them. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 16);
}
