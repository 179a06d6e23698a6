import type { Reading } from './cell.ts';

/** Returns a line of Prometheus' text, with the line feed before it. `labels` is a result of `labelsText`. */
export function line(name: string, labels: string, { suffix = '', le, value }: Reading): string {
  const all = le === undefined ? labels : `le="${le}"${labels === '' ? '' : `,${labels}`}`;
  return `\n${name}${suffix}${all === '' ? '' : `{${all}}`} ${numberText(value)}`;
}

export function labelsText(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`).join(',');
}

export function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** Returns a number as Prometheus' text. */
export function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN';
}
