/** JSON as Go writes it: so that it can stand in HTML, and in scripts there. */
export function escapeForHtml(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
