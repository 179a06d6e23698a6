/**
 * Compares two resourceVersions of one resource: negative when `a` is older. They are decimal numbers of any length
 * (KEP-5504). Returns `undefined` when one of them is not.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!isVersion(a) || !isVersion(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True for digits without a leading zero. Called for every event: a loop costs less than a regular expression. */
function isVersion(text: string): boolean {
  if (text === '' || (text.length > 1 && text.charCodeAt(0) === DIGIT_0)) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < DIGIT_0 || code > DIGIT_9) return false;
  }
  return true;
}

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
