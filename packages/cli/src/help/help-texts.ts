import type { Command } from 'commander';
import type { HelpTexts } from './ready-answer.ts';

/** Width of help, the same on every terminal and in files, so that help can be written when the bundle is. */
export const HELP_WIDTH = 80;

/** Returns the help of every command of the program. */
export function helpTexts(program: Command): HelpTexts {
  return { version: program.version() ?? '', commands: Object.fromEntries(textsOf(program, [])) };
}

type Entry = [string, HelpTexts['commands'][string]];

function textsOf(command: Command, path: readonly string[]): Entry[] {
  const own: Entry = [path.join(' '), { text: helpOf(command), hasCommands: command.commands.length > 0 }];
  const shown = command.commands.filter((each) => !OWN_HELP.has(each.name()));
  return [own, ...shown.flatMap((each) => textsOf(each, [...path, each.name()]))];
}

/** Commands without a text here: `apiserver` prints its own help, `help` that of others, and `__complete` is for shells. */
const OWN_HELP: ReadonlySet<string> = new Set(['apiserver', 'help', '__complete']);

/** Returns the help as the command prints it, with the texts before and after. */
function helpOf(command: Command): string {
  const output = command.configureOutput();
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  command.configureOutput(output);
  return text;
}
