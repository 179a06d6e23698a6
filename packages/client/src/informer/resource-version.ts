/**
 * Which of two resourceVersions of one resource is newer: negative when `a` is older. They are decimal numbers of any
 * length (KEP-5504). `undefined` when one of them is not.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!isVersion(a) || !isVersion(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isVersion(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text);
}
