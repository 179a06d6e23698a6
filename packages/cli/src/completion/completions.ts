import type { Command, Option } from 'commander';

/** A word that can be completed at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** The words that can be completed at the cursor; `paths` makes the shell add paths. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  readonly paths?: 'files' | 'folders';
}

/** Finds values of an option that depend on the current folder, such as the kinds of a project. */
type ValueSource = (command: Command, option: string) => Promise<readonly Candidate[]>;

/**
 * Completes a command line. `words` follow the name of the program; the last one is being typed and may be empty.
 */
export async function completions(
  program: Command,
  words: readonly string[],
  valuesOf: ValueSource,
): Promise<Completions> {
  const { command, used, argument, option, current, prefix } = locate(program, words);
  if (option !== undefined) return withPrefix(await optionValues(command, option, valuesOf), current, prefix);
  if (current.startsWith('-')) return { candidates: matching(flags(command, used), current) };
  if (command.commands.length > 0) return { candidates: matching(subcommands(command), current) };
  const expected = command.registeredArguments[argument] ?? variadic(command);
  if (expected === undefined) return { candidates: matching(flags(command, used), current) };
  if (expected.argChoices) return { candidates: matching(expected.argChoices.map(plain), current) };
  return { candidates: [], ...pathsOf(expected.name()) };
}

interface Cursor {
  readonly command: Command;
  /** Options that were given, by their long names. */
  readonly used: ReadonlySet<string>;
  /** Number of arguments before the cursor. */
  readonly argument: number;
  /** Option whose value is being typed. */
  readonly option?: Option;
  readonly current: string;
  /** Part of the word before the value, as in `--kind=`. */
  readonly prefix: string;
}

function locate(program: Command, words: readonly string[]): Cursor {
  let command = program;
  let argument = 0;
  let open: Option | undefined;
  const used = new Set<string>();
  for (const word of words.slice(0, -1)) {
    // Bash passes the equals sign as a separate word.
    if (word === '=') continue;
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      if (option?.long) used.add(option.long);
      open = option !== undefined && takesValue(option) && !word.includes('=') ? option : undefined;
    } else if (open !== undefined) open = open.variadic ? open : undefined;
    else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (next === undefined) argument++;
      else [command, argument] = [next, 0];
    }
  }
  const current = words.at(-1) ?? '';
  const [, prefix = '', value = ''] = /^(--[^=]+=)(.*)$/.exec(current) ?? [];
  const inWord = prefix === '' ? undefined : findOption(command, prefix);
  const cursor = { command, used, argument };
  if (inWord !== undefined) return { ...cursor, option: inWord, current: value, prefix };
  if (open === undefined || (open.variadic && current.startsWith('-'))) return { ...cursor, current, prefix: '' };
  return { ...cursor, option: open, current: current === '=' ? '' : current, prefix: '' };
}

function findOption(command: Command, word: string): Option | undefined {
  const name = word.split('=')[0]!;
  return command.options.find(({ long, short }) => long === name || short === name);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

async function optionValues(command: Command, option: Option, valuesOf: ValueSource): Promise<Completions> {
  if (option.argChoices) return { candidates: option.argChoices.map(plain) };
  const candidates = await valuesOf(command, option.long ?? '');
  return { candidates, ...(candidates.length === 0 && pathsOf(/<([^>.]+)/.exec(option.flags)?.[1] ?? '')) };
}

function pathsOf(placeholder: string): Pick<Completions, 'paths'> {
  if (/^(dir|folder)$/.test(placeholder)) return { paths: 'folders' };
  return /^(file|path)s?$/.test(placeholder) ? { paths: 'files' } : {};
}

function withPrefix({ candidates, ...rest }: Completions, current: string, prefix: string): Completions {
  const shown = matching(candidates, current).map((each) => ({ ...each, value: `${prefix}${each.value}` }));
  return { candidates: shown, ...rest };
}

function matching(candidates: readonly Candidate[], start: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(start));
}

function plain(value: string): Candidate {
  return { value };
}

function subcommands(command: Command): Candidate[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.map((each) => ({ value: each.name(), about: each.description() }));
}

function flags(command: Command, used: ReadonlySet<string>): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long, variadic: isRepeated }) => long && (isRepeated || !used.has(long)))
    .map(({ long, description }) => ({ value: long!, about: description }));
}

function variadic(command: Command): Command['registeredArguments'][number] | undefined {
  const last = command.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}
