import type { Command } from 'commander';
import type { HelpTexts } from './ready-answer.ts';

/** Help looks the same on every terminal and in files, which is why it can be written before anybody asks. */
export const HELP_WIDTH = 80;

/** What every command of the program says about itself. */
export function helpTexts(program: Command): HelpTexts {
  return { version: program.version() ?? '', commands: Object.fromEntries(textsOf(program, [])) };
}

type Entry = [string, HelpTexts['commands'][string]];

function textsOf(command: Command, path: readonly string[]): Entry[] {
  const own: Entry = [path.join(' '), { text: helpOf(command), hasCommands: command.commands.length > 0 }];
  const shown = command.commands.filter((each) => !OWN_HELP.has(each.name()));
  return [own, ...shown.flatMap((each) => textsOf(each, [...path, each.name()]))];
}

/** `apiserver` speaks like the program it stands in for, `help` about others, and nobody types the last. */
const OWN_HELP: ReadonlySet<string> = new Set(['apiserver', 'help', '__complete']);

/** As the command itself would print it, with what comes before and after. */
function helpOf(command: Command): string {
  const output = command.configureOutput();
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  command.configureOutput(output);
  return text;
}
