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
  readonly yes?: boolean;
  readonly output?: 'text' | 'json';
}

/** What a project is begun with, once nothing is left to ask. */
export interface InitAnswers {
  readonly directory: string;
  readonly name: string;
  readonly domain: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
}

/** `pintle init`: asks for what was not said, where somebody is there to ask. */
export async function init({ output, ...flags }: InitFlags): Promise<void> {
  const answers = await completed(flags);
  const directory = resolve(answers.directory);
  const changes = initProject(directory, { ...answers, ...packageSource() });
  const next = [
    ...(directory === process.cwd() ? [] : [`cd ${answers.directory}`]),
    'npm install',
    `${PINTLE} create api --group GROUP --version v1 --kind KIND`,
  ];
  showChanges(changes, { output, next });
}

async function completed(flags: InitFlags): Promise<InitAnswers> {
  const { directory = '.', domain, yes } = flags;
  // A folder that was named is a name too.
  const name = flags.name ?? (flags.directory && nameOf(directory));
  if (name !== undefined && domain !== undefined) return { ...flags, directory, name, domain };
  if (yes) return { ...flags, directory, name: name ?? nameOf(directory), domain: domain ?? 'example.com' };
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('Say a folder or --name, and --domain; or --yes for what is usual');
  const { askAbout } = await import('./ask-about.ts');
  return await askAbout(flags, { isFolderTaken: readdirSync('.').length > 0, nameOf });
}

/** What a folder's name makes of itself as the name of a project. */
function nameOf(directory: string): string {
  const name = basename(resolve(directory))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'operator' : name;
}
