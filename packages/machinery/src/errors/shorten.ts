/** Refusals show at most this many characters of one text that a client wrote. */
export const MAX_SHOWN = 64 * 1024;

/** The text, or its beginning and an ellipsis where nobody would read all of it. */
export function shorten(text: string, maxLength: number = MAX_SHOWN): string {
  if (text.length <= maxLength) return text;
  const isHalf = (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? maxLength - 1 : maxLength)}…`;
}
