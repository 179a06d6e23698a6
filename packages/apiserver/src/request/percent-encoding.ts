/**
 * The text that a client's percent-encoding stands for; `undefined` when it stands for none: an escape is not two
 * hexadecimal digits, or the bytes are not UTF-8. The only place that decodes a client's words.
 */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** One character of U+0000 to U+00FF for each byte; `undefined` when an escape is not two hexadecimal digits. */
export function decodePercentBytes(text: string): string | undefined {
  if (!hasOnlyWholeEscapes(text)) return undefined;
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(/%(..)/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function hasOnlyWholeEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}
