import type { FileChange } from '@pintle/generate';

const SIGNS: Readonly<Record<FileChange['type'], string>> = {
  create: '+',
  edit: '~',
  same: ' ',
  move: '>',
  delete: '-',
};

export interface ShowOptions {
  readonly output?: 'text' | 'json' | undefined;
  /** Commands to run next. */
  readonly next?: readonly string[];
  readonly notes?: readonly string[];
  /** True when no file was written. */
  readonly isDryRun?: boolean;
}

/** Prints the changes of files. */
export function showChanges(changes: readonly FileChange[], options: ShowOptions = {}): void {
  const { output = 'text', next = [], notes = [], isDryRun = false } = options;
  if (output === 'json') {
    const files = changes.map(({ path, type, from }) => ({ path, change: type, ...(from && { from }) }));
    const shown = { files, next, ...(notes.length > 0 && { notes }), ...(isDryRun && { isDryRun }) };
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  const changed = changes.filter(({ type }) => type !== 'same');
  const shown = changed.filter(({ source }) => source === undefined);
  const lines = shown.map(({ path, type, from }) => `${SIGNS[type]} ${path}${from ? ` (was ${from})` : ''}`);
  if (shown.length < changed.length) lines.push(`+ vendor (${changed.length - shown.length} packages of pintle)`);
  if (lines.length === 0) lines.push('Nothing to change: all files are up to date');
  else if (isDryRun) lines.push('', 'Nothing was written');
  else {
    if (notes.length > 0) lines.push('', ...notes);
    if (next.length > 0) lines.push('', 'Next:', ...next.map((command) => `  ${command}`));
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
