import type { FileChange } from '@pintle/generate';

const SIGNS: Readonly<Record<FileChange['type'], string>> = { create: '+', edit: '~', same: ' ' };

export interface ShowOptions {
  readonly output?: 'text' | 'json' | undefined;
  /** What to type next. */
  readonly next?: readonly string[];
}

/** Says what became of which files. */
export function showChanges(changes: readonly FileChange[], { output = 'text', next = [] }: ShowOptions = {}): void {
  if (output === 'json') {
    const files = changes.map(({ path, type }) => ({ path, change: type }));
    process.stdout.write(`${JSON.stringify({ files, next }, null, 2)}\n`);
    return;
  }
  const changed = changes.filter(({ type }) => type !== 'same');
  const lines = changed.map(({ path, type }) => `${SIGNS[type]} ${path}`);
  if (lines.length === 0) lines.push('Nothing to change: it is all there');
  else if (next.length > 0) lines.push('', 'Next:', ...next.map((command) => `  ${command}`));
  process.stdout.write(`${lines.join('\n')}\n`);
}
