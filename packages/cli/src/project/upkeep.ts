import {
  type ConflictChoice,
  type EditOptions,
  editProject,
  readProject,
  type Upgrade,
  type UpgradedFile,
  upgradeProject,
} from '@pintle/generate';
import { packageSource } from './package-source.ts';
import { projectDirectory } from './project-directory.ts';
import { showChanges } from './show-changes.ts';
import { PINTLE } from './version.ts';

interface EditFlags extends EditOptions {
  readonly output?: 'text' | 'json';
}

/** `pintle edit`: changes settings of a project; without flags, prints them. */
export function edit({ output = 'text', ...options }: EditFlags): void {
  const directory = projectDirectory();
  const { dryRun, ...settings } = options;
  if (Object.keys(settings).length === 0) {
    showSettings(directory, output);
    return;
  }
  const before = readProject(directory);
  const changes = editProject(directory, options);
  const notes = [
    ...(settings.domain !== undefined && settings.domain !== before.domain && before.resources.length > 0
      ? ['Existing resources keep their groups: a new group would be a new API']
      : []),
    ...(settings.name !== undefined && settings.name !== before.name
      ? [`Objects that were deployed as ${before.name} stay on their cluster: remove them with \`kubectl delete\``]
      : []),
  ];
  const isNamespaced = settings.namespaced !== undefined && settings.namespaced !== before.namespaced;
  const isSharded = settings.sharded !== undefined && settings.sharded !== (before.sharded ?? false);
  const next =
    isNamespaced || isSharded || notes.length > 0 ? [`${PINTLE} generate manifests`, 'npm test'] : ['npm test'];
  showChanges(changes, { output, next, notes, isDryRun: dryRun === true });
}

function showSettings(directory: string, output: 'text' | 'json'): void {
  const { name, domain, license, multigroup, namespaced, sharded = false } = readProject(directory);
  const settings = { name, domain, license, multigroup, namespaced, sharded };
  if (output === 'json') process.stdout.write(`${JSON.stringify(settings, null, 2)}\n`);
  else for (const [key, value] of Object.entries(settings)) process.stdout.write(`${key.padEnd(11)} ${value}\n`);
}

interface UpgradeFlags {
  readonly conflicts?: ConflictChoice;
  readonly check?: boolean;
  readonly dryRun?: boolean;
  readonly output?: 'text' | 'json';
}

/** `pintle upgrade`: upgrades the scaffolded files to this version. */
export function upgrade({ output = 'text', ...options }: UpgradeFlags): void {
  const upgraded = upgradeProject(projectDirectory(), { ...options, ...packageSource() });
  if (output === 'json') showJson(upgraded);
  else process.stdout.write(`${linesOf(upgraded, options).join('\n')}\n`);
  if (!upgraded.isDone) process.exitCode = 1;
}

function showJson({ files, ...upgraded }: Upgrade): void {
  const shown = files.map(({ type, text, ...file }) => ({
    ...file,
    change: type,
    ...(type === 'conflict' && { merged: text }),
  }));
  process.stdout.write(`${JSON.stringify({ ...upgraded, files: shown }, null, 2)}\n`);
}

const SIGNS: Readonly<Record<UpgradedFile['type'], string>> = {
  create: '+',
  edit: '~',
  delete: '-',
  merge: '~',
  conflict: '!',
  kept: ' ',
  same: ' ',
};

function linesOf({ files, from, to, isDone }: Upgrade, { dryRun = false, conflicts = 'show' }: UpgradeFlags): string[] {
  const shown = files.filter(({ type }) => type !== 'same');
  if (shown.every(({ type }) => type === 'kept')) return ['Nothing to change: all files are up to date'];
  const lines = shown
    .filter(({ path }) => !path.startsWith('vendor/'))
    .flatMap((file) => {
      const isShown = file.type === 'conflict' && conflicts === 'show';
      return [`${SIGNS[file.type]} ${file.path}${noteOf(file)}`, ...(isShown ? conflictsIn(file.text ?? '') : [])];
    });
  if (shown.some(({ path }) => path.startsWith('vendor/'))) lines.push('~ vendor (the packages of pintle)');
  if (!isDone) return [...lines, ...CHOICES];
  if (dryRun) return [...lines, '', 'Nothing was written'];
  const summary = from === undefined || from === to ? `Upgraded to ${to}` : `Upgraded from ${from} to ${to}`;
  return [...lines, '', summary, '', 'Next:', '  npm install', '  npm test'];
}

const CHOICES = [
  '',
  'You and the scaffold changed the same lines of files with !; these files were not written. Choose one of:',
  ...['mark', 'mine', 'scaffold'].map((choice) => `  ${PINTLE} upgrade --conflicts ${choice}`),
];

function noteOf({ type, note }: UpgradedFile): string {
  if (type === 'merge') return ' (merged with your changes)';
  return note === undefined ? '' : ` (${note})`;
}

/** Returns the lines from the markers of a conflict to those of its end. */
function conflictsIn(text: string): string[] {
  const conflicts = text.matchAll(/^<<<<<<< yours$[\s\S]*?^>>>>>>> scaffold$/gm);
  return [...conflicts].flatMap(([conflict]) => conflict.split('\n').map((line) => `    ${line}`));
}
