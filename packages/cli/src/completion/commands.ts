import type { Command } from 'commander';
import { Argument } from 'commander';
import { SHELLS } from './shells.ts';

/** Adds the commands behind shell completion. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('Print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'Shell to complete in').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(pintle completion bash)\n  pintle completion zsh > "$fpath[1]/_pintle"\n  pintle completion fish | source',
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { SCRIPTS } = await import('./shells.ts');
      process.stdout.write(SCRIPTS[shell]);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const [{ completions }, { valuesHere }] = await Promise.all([import('./completions.ts'), import('./values.ts')]);
      const { candidates, paths } = await completions(program, words, valuesHere);
      const lines = candidates.map(({ value, about }) => (about ? `${value}\t${firstLine(about)}` : value));
      if (paths !== undefined) lines.push(`:${paths}`);
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

function firstLine(text: string): string {
  return text.split('\n')[0]!;
}
