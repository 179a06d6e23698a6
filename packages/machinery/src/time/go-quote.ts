/** Quotes as Go's `time` package does in its errors: bytes that are not printable ASCII are escaped one by one. */
export function quoteBytes(text: string): string {
  let quoted = '"';
  for (const byte of Buffer.from(text)) {
    if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += String.fromCharCode(byte);
  }
  return `${quoted}"`;
}
