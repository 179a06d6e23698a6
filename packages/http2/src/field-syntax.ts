/** What names of fields are made of: they are in lower case. */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(text);
}

/** Accepts a field's value (RFC 9113, section 8.2.1): no controls but tabs, and no space at its start or end. */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && !isBlank(text, 0) && !isBlank(text, text.length - 1);
}

/** The text without the spaces and tabs around it. Other bytes that are spaces elsewhere are parts of letters here. */
export function trimFieldValue(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

/** Of HTTP/1.1's connections. Whoever sends them here means to be read in two ways. */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
