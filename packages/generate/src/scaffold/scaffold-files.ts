import { createHash } from 'node:crypto';
import { LAYOUT, type Project, type Scaffold } from '../project/project.ts';
import { OLDER_FILES } from './templates/older-files.ts';
import { projectFiles, type TemplateOptions } from './templates/project-files.ts';

/** Files that users own once they are created: never upgraded and not stored in pintle.json. */
const USER_FILES: ReadonlySet<string> = new Set(['src/operator.ts']);
/** Upgraded field by field, since npm and users change it too. */
export const PACKAGE_FILE = 'package.json';

/** Returns the files that the tool maintains, by path, as they were at a layout. */
export function scaffoldFiles(project: Project, options: TemplateOptions, layout = LAYOUT): Record<string, string> {
  const files: Record<string, string | undefined> = { ...projectFiles(project, options) };
  for (let older = LAYOUT - 1; older >= layout; older--)
    Object.assign(files, OLDER_FILES[older]?.(project, options) ?? {});
  const kept = Object.entries(files).filter(([path, text]) => text !== undefined && !USER_FILES.has(path));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** Returns the record of scaffolded files for pintle.json. */
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

/** Returns a fingerprint that ignores line ends, which git may change. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 16);
}
