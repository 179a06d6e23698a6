/** The bytes of a text in standard base64, or where it is none. Line breaks mean nothing. */
export function decodeBase64(text: string): Uint8Array | number {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/);
  const digits = text.slice(0, end === -1 ? text.length : end).replace(/[\r\n]/g, '').length;
  const rest = end === -1 ? '' : text.slice(end).replace(/[\r\n]/g, '');
  if (rest !== PADDING[digits % 4]) return end === -1 ? text.length - (digits % 4) : end;
  return Buffer.from(text, 'base64');
}

/** What fills up the last four characters, by how many of them there are. One alone says nothing. */
const PADDING: readonly (string | undefined)[] = ['', undefined, '==', '='];
