/**
 * Characters that control a terminal or reorder its text: control characters except tab and newline, line separators, and
 * marks of text direction.
 */
const CONTROL = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns untrusted text that is safe for a terminal: control characters become escapes such as `\u001b`. */
export function terminalText(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
