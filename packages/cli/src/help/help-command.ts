import type { Command } from 'commander';

/** `pintle help create api`: commander's own looks at the first word only. */
export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('say what a command takes')
    .argument('[command...]', 'the words that lead to it')
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

/** A wrong line is answered in one line that says what was wrong, and where the right words are. */
export function sayErrorsShortly(command: Command, path: string): void {
  const outputError = (text: string, write: (text: string) => void): void => {
    const found = text
      .trim()
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ');
    write(`pintle: ${found}; see ${path} --help\n`);
  };
  command.configureOutput({ outputError });
  for (const each of command.commands) sayErrorsShortly(each, `${path} ${each.name()}`);
}
