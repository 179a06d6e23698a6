/** What every command says about itself, by the words that lead to it: '' is the program, `create api` a command of it. */
export interface HelpTexts {
  readonly version: string;
  readonly commands: Readonly<Record<string, { readonly text: string; readonly hasCommands: boolean }>>;
}

interface ReadyAnswer {
  readonly text: string;
  /** A command that only leads to others cannot be run: what it says then is an error. */
  readonly isError: boolean;
}

/**
 * The answer to a command line that only asks for words, so that nothing needs to be loaded for it. `undefined` means
 * that the program must look at the line.
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
