/**
 * What a terminal takes as a command, or shows in another order than it stands: control characters other than tab and
 * newline, and marks that turn the direction of text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text as a terminal may show it, whoever wrote it: what steers a terminal stands as an escape, `\u001b`. */
export function terminalText(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
