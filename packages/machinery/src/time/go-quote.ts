import { shorten } from '../errors/quote.ts';

/**
 * Quotes as Go's `time` package does in its errors: escapes bytes that are not printable ASCII one by one. Truncates
 * very long texts.
 */
export function quoteBytes(text: string): string {
  const parts: string[] = [];
  for (const byte of Buffer.from(shorten(text))) {
    if (byte === 0x22 || byte === 0x5c) parts.push(`\\${String.fromCharCode(byte)}`);
    else if (byte < 0x20 || byte >= 0x80) parts.push(`\\x${byte.toString(16).padStart(2, '0')}`);
    else parts.push(String.fromCharCode(byte));
  }
  return `"${parts.join('')}"`;
}
