import { readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { initProject } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import { packageSource } from './package-source.ts';
import { showChanges } from './show-changes.ts';
import { PINTLE } from './version.ts';

export interface InitFlags {
  readonly directory?: string;
  readonly name?: string;
  readonly domain?: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
  readonly sharded?: boolean;
  readonly yes?: boolean;
  readonly output?: 'text' | 'json';
}

/** Complete settings of a new project. */
export interface InitAnswers {
  readonly directory: string;
  readonly name: string;
  readonly domain: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
  readonly sharded?: boolean;
}

/** `pintle init`: creates a project; in a terminal, prompts for the values that no flag sets. */
export async function init({ output, ...flags }: InitFlags): Promise<void> {
  const answers = await completed(flags);
  const directory = resolve(answers.directory);
  const changes = initProject(directory, { ...answers, ...packageSource() });
  const next = [
    ...(directory === process.cwd() ? [] : [`cd ${shellWord(answers.directory)}`]),
    'npm install',
    `${PINTLE} create api --group GROUP --version v1 --kind KIND`,
  ];
  showChanges(changes, { output, next });
}

/** Quotes a word for a shell where it needs quotes. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function completed(flags: InitFlags): Promise<InitAnswers> {
  const { directory = '.', domain, yes } = flags;
  // The name of a given folder is the default name of the project.
  const name = flags.name ?? (flags.directory && nameOf(directory));
  if (name !== undefined && domain !== undefined) return { ...flags, directory, name, domain };
  if (yes) return { ...flags, directory, name: name ?? nameOf(directory), domain: domain ?? 'example.com' };
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(
      'Cannot prompt for settings: this is not a terminal. Pass a folder or --name, and --domain; or --yes for the defaults',
    );
  const { promptForInit } = await import('./prompt-for-init.ts');
  return await promptForInit(flags, { isFolderTaken: readdirSync('.').length > 0, nameOf });
}

/** Returns the name of a project in a folder: that of the folder, without characters that names cannot have. */
function nameOf(directory: string): string {
  const name = basename(resolve(directory))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'operator' : name;
}
