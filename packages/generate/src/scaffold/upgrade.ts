import { GenerateError } from '../errors.ts';
import { Changes } from '../project/changes.ts';
import { LAYOUT, PROJECT_FILE, type Project, projectText, readProject } from '../project/project.ts';
import { renewPackage } from './edit-package.ts';
import { filesIn } from './move-modules.ts';
import { renameApi } from './renamed-api.ts';
import { fingerprint, PACKAGE_FILE, scaffoldFiles, scaffoldOf } from './scaffold-files.ts';
import { VENDOR_FOLDER } from './templates/project-files.ts';
import { mergeThreeWay } from './three-way.ts';
import { type PackageSource, putPackages, templateOf } from './vendored-packages.ts';

/** Ways to resolve lines that the user and the scaffold changed. */
export const CONFLICT_CHOICES = ['show', 'mark', 'mine', 'scaffold'] as const;
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number];

export interface UpgradeOptions extends PackageSource {
  /** Default: `show`, which leaves files with conflicts and the layout of the project as they are. */
  readonly conflicts?: ConflictChoice;
  /** Writes nothing; throws Outdated when files are out of date. */
  readonly check?: boolean;
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

export interface UpgradedFile {
  readonly path: string;
  /** `merge`: changes of both sides. `conflict`: both changed the same lines. `kept`: left as the user has it. */
  readonly type: 'create' | 'edit' | 'delete' | 'same' | 'merge' | 'conflict' | 'kept';
  /** New content; for a conflict, both sides between markers. */
  readonly text?: string;
  readonly note?: string;
}

export interface Upgrade {
  /** Version of the tool that wrote the scaffold; absent when it was not stored. */
  readonly from?: string;
  readonly to: string;
  /** False when conflicts are left. */
  readonly isDone: boolean;
  readonly files: readonly UpgradedFile[];
}

/**
 * Upgrades the scaffolded files to this version: replaces files that the user did not change, and merges the changes of the
 * scaffold into others. In code of the user, such as controllers, replaces former names of the API and nothing else.
 */
export function upgradeProject(directory: string, options: UpgradeOptions): Upgrade {
  const project = readProject(directory);
  refuseNewer(project, options.version);
  const changes = new Changes(directory);
  putPackages(changes, directory, options);
  const planned = [...plan(changes, project, options), ...(changes.all as UpgradedFile[])];
  const files = withRenamedApi(changes, directory, planned);
  const isDone = files.every(({ type }) => type !== 'conflict' || (options.conflicts ?? 'show') !== 'show');
  for (const { path, type, text } of files) {
    if (path.startsWith(`${VENDOR_FOLDER}/`)) continue;
    if (type === 'delete') changes.delete(path);
    else if (text !== undefined && (type !== 'conflict' || isDone)) changes.put(path, text);
  }
  if (isDone && !isCurrent(project, files, options))
    changes.put(PROJECT_FILE, projectText(upgraded(changes, project, options)));
  const from = project.scaffold?.version;
  const own = changes.all.filter(({ path }) => path === PROJECT_FILE) as UpgradedFile[];
  const upgrade = { ...(from !== undefined && { from }), to: options.version, isDone, files: [...files, ...own] };
  finish(changes, upgrade, options);
  return upgrade;
}

/** True when all files are up to date; later changes of the user do not count. */
function isCurrent(
  { layout, scaffold }: Project,
  files: readonly UpgradedFile[],
  { version }: UpgradeOptions,
): boolean {
  const isSame = files.every(({ type }) => type === 'same' || type === 'kept');
  return isSame && layout === LAYOUT && scaffold?.version === version;
}

function finish(changes: Changes, { files }: Upgrade, { check = false, dryRun = false }: UpgradeOptions): void {
  if (check) {
    const stale = files.filter(({ type }) => type !== 'same' && type !== 'kept').map(({ path }) => path);
    if (stale.length > 0) throw new GenerateError({ code: 'Outdated', paths: stale });
  } else if (!dryRun) changes.write();
}

function plan(changes: Changes, project: Project, options: UpgradeOptions): UpgradedFile[] {
  const next = scaffoldFiles(project, templateOf(options));
  const base = scaffoldFiles(project, project.scaffold ?? templateOf(options), project.layout);
  const paths = [...new Set([...Object.keys(base), ...Object.keys(next)])].sort();
  return paths.map((path) => {
    const sides = { present: changes.read(path), base: base[path], next: next[path] };
    if (path === PACKAGE_FILE) return packageFile(sides);
    const isUntouched = isAsWritten(project, path, sides);
    return { path, ...outcome(sides, isUntouched, options.conflicts ?? 'show') };
  });
}

/** Returns the files with former names of the API replaced, and further modules of the project that have such names. */
function withRenamedApi(changes: Changes, directory: string, planned: readonly UpgradedFile[]): UpgradedFile[] {
  const byPath = new Map(planned.map((file) => [file.path, file]));
  for (const path of filesIn(directory, 'src')) {
    const file = byPath.get(path);
    if (!/\.[cm]?tsx?$/.test(path) || file?.type === 'conflict' || file?.type === 'delete') continue;
    const before = file?.text ?? changes.read(path) ?? '';
    const text = renameApi(path, before);
    if (text !== before) byPath.set(path, { path, type: file?.type === 'merge' ? 'merge' : 'edit', text });
  }
  return [...byPath.values()];
}

interface Side {
  readonly present: string | undefined;
  readonly base: string | undefined;
  readonly next: string | undefined;
}

function isAsWritten({ scaffold }: Project, path: string, { present, base }: Side): boolean {
  if (present === undefined) return false;
  const print = fingerprint(present);
  return print === scaffold?.files[path] || (base !== undefined && print === fingerprint(base));
}

function outcome(sides: Side, isUntouched: boolean, conflicts: ConflictChoice): Omit<UpgradedFile, 'path'> {
  const { present, base, next } = sides;
  if (next === undefined) {
    if (present === undefined) return { type: 'same' };
    return isUntouched ? { type: 'delete' } : { type: 'kept', note: 'no longer part of the scaffold' };
  }
  if (present === undefined) {
    return base === undefined ? { type: 'create', text: next } : { type: 'kept', note: 'you removed it' };
  }
  if (fingerprint(present) === fingerprint(next) || base === next) return { type: 'same' };
  if (isUntouched) return { type: 'edit', text: next };
  if (base === undefined) return { type: 'kept', note: 'new in the scaffold; your file was kept' };
  return merged({ base, mine: present, theirs: next }, conflicts);
}

function merged(
  sides: { readonly base: string; readonly mine: string; readonly theirs: string },
  choice: ConflictChoice,
): Omit<UpgradedFile, 'path'> {
  const { text, conflicts } = mergeThreeWay(sides);
  if (conflicts === 0) return text === sides.mine ? { type: 'same' } : { type: 'merge', text };
  if (choice === 'mine') return { type: 'kept', note: 'conflicts with the scaffold; your lines were kept' };
  return choice === 'scaffold' ? { type: 'edit', text: sides.theirs } : { type: 'conflict', text };
}

function packageFile({ present, base = '{}', next = '{}' }: Side): UpgradedFile {
  const path = PACKAGE_FILE;
  if (present === undefined) return { path, type: 'kept', note: 'you removed it' };
  const text = renewPackage(path, present, base, next);
  return text === present ? { path, type: 'same' } : { path, type: 'edit', text };
}

/** Returns the project with the new layout and the fingerprints of files that match it. */
function upgraded(changes: Changes, project: Project, options: UpgradeOptions): Project {
  const written = new Map(changes.all.map(({ path, text }) => [path, text]));
  const template = templateOf(options);
  const untouched = Object.entries(scaffoldFiles(project, template)).filter(
    ([path, text]) => fingerprint(written.get(path) ?? changes.read(path) ?? '') === fingerprint(text),
  );
  return { ...project, layout: LAYOUT, scaffold: scaffoldOf(template, Object.fromEntries(untouched)) };
}

function refuseNewer({ scaffold }: Project, version: string): void {
  if (scaffold === undefined || !isNewer(scaffold.version, version)) return;
  const detail = `it was written by pintle ${scaffold.version}, and this is ${version}; use the newer version`;
  throw new GenerateError({ code: 'CannotEdit', path: PROJECT_FILE, detail });
}

function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && a[at]! > (b[at] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(/[-+]/)[0]!.split('.').map(Number);
}
