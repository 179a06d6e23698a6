/** Help of every command, by its path: '' is the program, `create api` a command of it. */
export interface HelpTexts {
  readonly version: string;
  readonly commands: Readonly<Record<string, { readonly text: string; readonly hasCommands: boolean }>>;
}

interface ReadyAnswer {
  readonly text: string;
  /** True for a command that only has subcommands and was run without one: its help is an error message. */
  readonly isError: boolean;
}

/**
 * Returns the answer to a command line that asks for help or the version, without loading the program. `undefined` means
 * that the program must parse the line.
 */
export function readyAnswer(args: readonly string[], { version, commands }: HelpTexts): ReadyAnswer | undefined {
  if (args.length === 1 && VERSION.has(args[0]!)) return { text: `${version}\n`, isError: false };
  const isAsked = args[0] === 'help' || HELP.has(args.at(-1) ?? '');
  const path = (args[0] === 'help' ? args.slice(1) : isAsked ? args.slice(0, -1) : args).join(' ');
  const command = Object.hasOwn(commands, path) ? commands[path]! : undefined;
  if (command === undefined || !(isAsked || command.hasCommands)) return undefined;
  return { text: command.text, isError: !isAsked };
}

const VERSION: ReadonlySet<string> = new Set(['-V', '--version']);
const HELP: ReadonlySet<string> = new Set(['-h', '--help']);
