import { confirm, intro, isCancel, text } from '@clack/prompts';
import { checkDomain, checkLicense, checkName } from '@pintle/generate';
import { UsageError } from '../usage-error.ts';
import type { InitAnswers, InitFlags } from './init.ts';

export interface PromptContext {
  /** True when the current folder holds files: then the prompt suggests a new folder. */
  readonly isFolderTaken: boolean;
  nameOf(directory: string): string;
}

/** Prompts for the values that no flag sets; Enter accepts the suggestion. Throws UsageError when the user cancels. */
export async function promptForInit(flags: InitFlags, { isFolderTaken, nameOf }: PromptContext): Promise<InitAnswers> {
  intro('Create a project');
  const isNew = flags.directory === undefined && isFolderTaken;
  const directory = flags.directory ?? (isNew ? await askText('Folder of the project', 'my-operator') : '.');
  const name = flags.name ?? (await askText('Name of the operator', nameOf(directory), checkName));
  const domain = flags.domain ?? (await askText('Domain of the API groups', 'example.com', checkDomain));
  const license = flags.license ?? (await askText('License (SPDX identifier)', 'Apache-2.0', checkLicense));
  const namespaced = flags.namespaced ?? (await askYesOrNo('Restrict the operator to its own namespace?'));
  const multigroup = flags.multigroup ?? (await askYesOrNo('Use a folder per API group?'));
  const { sharded } = flags;
  return { directory, name, domain, license, namespaced, multigroup, ...(sharded !== undefined && { sharded }) };
}

async function askText(message: string, suggestion: string, check?: (value: string) => void): Promise<string> {
  const validate = (value = ''): string | undefined => problemOf(value === '' ? suggestion : value, check);
  return answered(await text({ message, placeholder: suggestion, defaultValue: suggestion, validate }));
}

async function askYesOrNo(message: string): Promise<boolean> {
  return answered(await confirm({ message, initialValue: false }));
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new UsageError('Cancelled: nothing was created');
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
