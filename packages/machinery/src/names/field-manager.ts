import type { FieldError } from '../errors/field-error.ts';
import { invalid, tooLong } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { isPrintable } from '../errors/quote.ts';
import { byteLength } from './messages.ts';

const maxBytes = 128;

/** The name under which somebody owns fields: at most 128 bytes, all printable. Empty means not given. */
export function validateFieldManager(manager: string, path: FieldPath | string): FieldError[] {
  if (manager.length <= maxBytes && /^[\x20-\x7e]*$/.test(manager)) return [];
  const errors = byteLength(manager) > maxBytes ? [tooLong(path, maxBytes)] : [];
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character))
      errors.push(invalid(path, manager, `invalid character ${codePoint(character)} (at position ${position})`));
    position += byteLength(character);
  }
  return errors;
}

/** `U+0007`; Go would add the character itself if it could be printed. */
function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
