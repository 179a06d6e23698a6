const ESCAPES = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const;

const escaped = /[<>&\u2028\u2029]/;

/** JSON as Go writes it: so that it can stand in HTML, and in scripts there. */
export function escapeForHtml(json: string): string {
  if (!escaped.test(json)) return json;
  let text = json;
  // Of a text that is nothing but such characters, this takes a third of the time of `replaceAll`.
  for (const [character, written] of ESCAPES) if (text.includes(character)) text = text.split(character).join(written);
  return text;
}
