/** What names of fields are made of: they are in lower case. */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(text);
}

/** What a field may say: no controls but tabs. */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Of HTTP/1.1's connections. Whoever sends them here means to be read in two ways. */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
