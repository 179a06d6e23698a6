import { basename, resolve } from 'node:path';
import { initProject } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import { showChanges } from './show-changes.ts';
import { packageVersion } from './version.ts';

export interface InitFlags {
  readonly directory: string;
  readonly name?: string;
  readonly domain?: string;
  readonly license?: string;
  readonly multigroup?: boolean;
  readonly namespaced?: boolean;
  readonly yes?: boolean;
  readonly output?: 'text' | 'json';
}

/** `pintle init`: asks for what was not said, where somebody is there to ask. */
export async function init(flags: InitFlags): Promise<void> {
  const directory = resolve(flags.directory);
  const answers = await completed(flags, nameOf(directory));
  const changes = initProject(directory, { ...flags, ...answers, version: packageVersion() });
  const next = [
    ...(directory === process.cwd() ? [] : [`cd ${flags.directory}`]),
    'npm install',
    'npx pintle create api --group GROUP --version v1 --kind KIND',
  ];
  showChanges(changes, { output: flags.output, next });
}

async function completed(flags: InitFlags, suggestion: string): Promise<{ name: string; domain: string }> {
  const { name, domain, yes } = flags;
  if (name !== undefined && domain !== undefined) return { name, domain };
  if (yes) return { name: name ?? suggestion, domain: domain ?? 'example.com' };
  if (!process.stdin.isTTY) throw new UsageError('Say --name and --domain, or --yes for what is usual');
  return await ask(flags, suggestion);
}

async function ask({ name, domain }: InitFlags, suggestion: string): Promise<{ name: string; domain: string }> {
  const { group, intro, isCancel, text } = await import('@clack/prompts');
  intro('A new operator');
  const answers = await group({
    name: async () =>
      name ?? (await text({ message: 'What is it called?', initialValue: suggestion, placeholder: suggestion })),
    domain: async () =>
      domain ?? (await text({ message: 'Whose domain are its resources in?', initialValue: 'example.com' })),
  });
  if (isCancel(answers.name) || isCancel(answers.domain)) throw new UsageError('Nothing was made');
  return { name: String(answers.name), domain: String(answers.domain) };
}

/** What a folder's name makes of itself as the name of a project. */
function nameOf(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'operator' : name.slice(0, 63);
}
