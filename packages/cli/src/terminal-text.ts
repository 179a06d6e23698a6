/**
 * Characters that a terminal takes as commands or that change the order in which it shows text: controls other than tab
 * and newline, separators of lines, and marks that turn the direction of text.
 */
const STEERING = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The text as a terminal may show it, whoever wrote it: what steers a terminal stands as an escape, `\u001b`. */
export function terminalText(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
