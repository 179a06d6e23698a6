/** What names of headers and methods are made of. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** What a header may say: no controls but tabs, so that it ends where its line does. */
export function isHeaderValue(text: string): boolean {
  return /^[\t -~\u0080-\u00ff]*$/.test(text);
}
