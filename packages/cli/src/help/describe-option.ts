import { type Argument, Option } from 'commander';

/** Returns the description of a flag or argument with its choices and default: `Port to listen on (default: 6443)`. */
export function describeOption(described: Option | Argument): string {
  const { description, argChoices } = described;
  const usual = defaultOf(described);
  const notes = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** The default of `--no-wait` is that of `--wait`: it is not shown. */
function defaultOf(described: Option | Argument): string | undefined {
  const { defaultValue, defaultValueDescription } = described;
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  if (defaultValue === undefined || ('negate' in described && described.negate)) return undefined;
  return [defaultValue].flat().join(' ');
}

/** Creates the flag of commands whose output programs may read. */
export function output(): Option {
  return new Option('-o, --output <form>', 'Output format').choices(['text', 'json']).default(undefined, 'text');
}
