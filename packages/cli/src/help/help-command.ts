import type { Command } from 'commander';

/** Adds `pintle help create api`. The help command of commander reads the first word only. */
export function addHelpCommand(program: Command): void {
  for (const group of program.commands) {
    if (group.commands.length > 0) group.helpCommand('help [command]', 'Print help for a command');
  }
  program
    .helpCommand(false)
    .command('help')
    .description('Print help for a command')
    .argument('[command...]', 'Command, such as create api')
    .addHelpText('after', '\nExample:\n  pintle help create api')
    .action((words: string[]) => find(program, words).help());
}

function find(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((each) => each.name() === word);
    if (next === undefined) return found.error(`unknown command '${word}'`);
    found = next;
  }
  return found;
}

/** Makes a wrong command line fail with one line: the error, and the help to read. */
export function shortenErrors(command: Command, path: string): void {
  const outputError = (text: string, write: (text: string) => void): void => {
    const found = text
      .trim()
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ');
    write(`pintle: ${found}; see ${path} --help\n`);
  };
  command.configureOutput({ outputError });
  for (const each of command.commands) shortenErrors(each, `${path} ${each.name()}`);
}
