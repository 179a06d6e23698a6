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
