import type { FileChange } from '../errors.ts';
import { Changes } from '../project/changes.ts';
import { checkDomain, checkLicense, checkName } from '../project/names.ts';
import { folderOf, PROJECT_FILE, type Project, projectText, readProject } from '../project/project.ts';
import { setPackageFields } from './edit-package.ts';
import { renameManager, setNamespaced, setSharded } from './manager-options.ts';
import { moveFolders } from './move-modules.ts';
import { fingerprint, PACKAGE_FILE, scaffoldFiles } from './scaffold-files.ts';

const MAIN_FILE = 'src/main.ts';

/** Settings of a project that can be changed later. Absent ones stay as they are. */
export interface EditOptions {
  readonly name?: string;
  /** Domain of new resources; existing ones keep their groups. */
  readonly domain?: string;
  readonly license?: string;
  /** Moves existing files into folders by group, or out of them. */
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
  /** Lets the replicas share the work, instead of a leader that does all. */
  readonly sharded?: boolean;
  /** Returns the changes and writes nothing. */
  readonly dryRun?: boolean;
}

/** Changes the settings of a project and the files that depend on them. A second call changes nothing. */
export function editProject(directory: string, { dryRun = false, ...options }: EditOptions): readonly FileChange[] {
  const before = readProject(directory);
  const settings = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { sharded: isSharded = false, ...rest }: Project = { ...before, ...settings };
  const after: Project = { ...rest, ...(isSharded && { sharded: true }) };
  checkName(after.name);
  checkDomain(after.domain);
  checkLicense(after.license);
  const changes = new Changes(directory);
  const prints = renewFiles(changes, before, after);
  if (before.name !== after.name || before.license !== after.license) editPackage(changes, before, after);
  if (before.multigroup !== after.multigroup) moveFolders(changes, directory, movedFolders(before, after));
  const scaffold = before.scaffold && { scaffold: { ...before.scaffold, files: prints } };
  changes.put(PROJECT_FILE, projectText({ ...after, ...scaffold }));
  return dryRun ? changes.all : changes.write();
}

/** Rewrites files that users did not change, and edits the entry point of the operator. */
function renewFiles(changes: Changes, before: Project, after: Project): Record<string, string> {
  const prints: Record<string, string> = { ...before.scaffold?.files };
  const options = before.scaffold ?? { version: '' };
  const then = scaffoldFiles(before, options, before.layout);
  for (const [path, text] of Object.entries(scaffoldFiles(after, options, after.layout))) {
    const present = changes.read(path);
    if (path === PACKAGE_FILE || present === undefined || text === then[path]) continue;
    if (fingerprint(present) === fingerprint(then[path]!)) {
      changes.put(path, text);
      prints[path] = fingerprint(text);
    } else if (path === MAIN_FILE) changes.edit(path, (main) => editMain(main, before, after));
  }
  return prints;
}

function editMain(text: string, before: Project, after: Project): string {
  const renamed = before.name === after.name ? text : renameManager(MAIN_FILE, text, before.name, after.name);
  const placed = before.namespaced === after.namespaced ? renamed : setNamespaced(MAIN_FILE, renamed, after.namespaced);
  return before.sharded === after.sharded ? placed : setSharded(MAIN_FILE, placed, after.sharded === true);
}

/** Renames the package, unless its name differs from that of the operator. */
function editPackage(changes: Changes, before: Project, { name, license }: Project): void {
  changes.edit(PACKAGE_FILE, (text) => {
    const hasName = (JSON.parse(text) as { name?: string }).name === before.name;
    return setPackageFields(PACKAGE_FILE, text, { ...(hasName && { name }), license });
  });
}

function movedFolders(before: Project, after: Project): Map<string, string> {
  return new Map(before.resources.map((resource) => [folderOf(before, resource), folderOf(after, resource)]));
}
