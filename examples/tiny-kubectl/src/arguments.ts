import { parseArgs } from 'node:util';

/** A parsed command line. */
export interface Request {
  readonly command: string;
  /** Arguments after the command, before `--`. */
  readonly words: readonly string[];
  /** Arguments after `--`. */
  readonly rest: readonly string[];
  readonly flags: {
    readonly namespace?: string | undefined;
    readonly context?: string | undefined;
    readonly selector?: string | undefined;
    readonly output?: string | undefined;
    readonly filename?: string | undefined;
    readonly container?: string | undefined;
    readonly replicas?: string | undefined;
    readonly for?: string | undefined;
    readonly 'all-namespaces'?: boolean | undefined;
    readonly watch?: boolean | undefined;
    readonly follow?: boolean | undefined;
  };
}

export function readArguments(args: readonly string[]): Request {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  const { values, positionals } = parseArgs({
    args: [...own],
    allowPositionals: true,
    options: {
      namespace: { type: 'string', short: 'n' },
      context: { type: 'string' },
      selector: { type: 'string', short: 'l' },
      output: { type: 'string', short: 'o' },
      filename: { type: 'string', short: 'f' },
      container: { type: 'string', short: 'c' },
      replicas: { type: 'string' },
      for: { type: 'string' },
      'all-namespaces': { type: 'boolean', short: 'A' },
      watch: { type: 'boolean', short: 'w' },
      follow: { type: 'boolean' },
    },
  });
  const [command = '', ...words] = positionals;
  return { command, words, rest: end < 0 ? [] : args.slice(end + 1), flags: values };
}

export function usage(commands: readonly string[]): string {
  return `tiny-kubectl COMMAND [RESOURCE] [NAME] [flags]\n\nCommands: ${commands.join(', ')}`;
}
