import { sortedEntries } from './checks.ts';

/** `a=b,c=d`, or `<none>` */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = sortedEntries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.join(',') || '<none>';
}
