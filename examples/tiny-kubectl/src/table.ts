/** A Table of the API server. */
export interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object?: { readonly metadata?: { readonly namespace?: string } };
  }[];
}

export function formatTable(
  { columnDefinitions, rows = [] }: Table,
  { withNamespace }: { withNamespace: boolean },
): string {
  if (rows.length === 0) return 'No resources found\n';
  const shown = columnDefinitions.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  const head = shown.map((index) => columnDefinitions[index]!.name.toUpperCase());
  const body = rows.map(({ cells, object }) => {
    const texts = shown.map((index) => String(cells[index] ?? '<none>'));
    return withNamespace ? [object?.metadata?.namespace ?? '', ...texts] : texts;
  });
  return align([withNamespace ? ['NAMESPACE', ...head] : head, ...body]);
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) => `${line.map((text, column) => text.padEnd(widths[column]! + 3)).join('')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
