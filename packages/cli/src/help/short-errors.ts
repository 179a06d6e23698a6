import type { Command } from 'commander';

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
