import { confirm, intro, isCancel, text } from '@clack/prompts';
import { checkDomain, checkLicense, checkName } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import type { InitAnswers, InitFlags } from './init.ts';

export interface Surroundings {
  /** There is something in this folder already: a project better gets one of its own. */
  readonly isFolderTaken: boolean;
  nameOf(directory: string): string;
}

/** Asks a person for what the flags did not say; a suggestion stands where they type, and Enter takes it. Throws when they go away. */
export async function askAbout(flags: InitFlags, { isFolderTaken, nameOf }: Surroundings): Promise<InitAnswers> {
  intro('A new operator');
  const isNew = flags.directory === undefined && isFolderTaken;
  const directory = flags.directory ?? (isNew ? await asked('In which folder?', 'my-operator') : '.');
  const name = flags.name ?? (await asked('What is it called?', nameOf(directory), checkName));
  const domain = flags.domain ?? (await asked('Whose domain are its resources in?', 'example.com', checkDomain));
  const license = flags.license ?? (await asked('Under which license, as SPDX spells it?', 'Apache-2.0', checkLicense));
  const namespaced = flags.namespaced ?? (await chosen('Does it look after its own namespace only?'));
  const multigroup = flags.multigroup ?? (await chosen('A folder for each group of resources?'));
  return { directory, name, domain, license, namespaced, multigroup };
}

async function asked(message: string, usual: string, check?: (value: string) => void): Promise<string> {
  const validate = (value = ''): string | undefined => problemOf(value === '' ? usual : value, check);
  return answered(await text({ message, placeholder: usual, defaultValue: usual, validate }));
}

async function chosen(message: string): Promise<boolean> {
  return answered(await confirm({ message, initialValue: false }));
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new UsageError('Nothing was made');
  return answer as Exclude<T, symbol>;
}

function problemOf(value: string, check?: (value: string) => void): string | undefined {
  try {
    check?.(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
