/**
 * Formats compact JSON over several lines, two spaces for each level; literals stay as they are. `margin` precedes all
 * lines but the first.
 */
export function indentJson(compact: string, margin = ''): string {
  return [...indentJsonPieces(compact, margin)].join('');
}

/**
 * As `indentJson`, in pieces of some 256 KiB as they are made: for deep objects the whole is a hundred times the
 * compact text.
 */
export function* indentJsonPieces(compact: string, margin = ''): Generator<string> {
  const pieces = new Pieces(compact);
  let line = `\n${margin}`;
  for (let at = 0; at < compact.length; at++) {
    switch (compact.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(compact, at);
        break;
      case BRACE:
      case BRACKET:
        if (isClosing(compact.charCodeAt(at + 1))) at++;
        else {
          line += '  ';
          pieces.cut(at + 1, line);
        }
        break;
      case BRACE + 2:
      case BRACKET + 2:
        line = line.slice(0, -2);
        pieces.cut(at, line);
        break;
      case COMMA:
        pieces.cut(at + 1, line);
        break;
      case COLON:
        pieces.cut(at + 1, ' ');
    }
    if (pieces.isLong) yield pieces.take();
  }
  yield pieces.end();
}

const PIECE_LENGTH = 256 * 1024;

class Pieces {
  readonly #source: string;
  #text = '';
  #from = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isLong(): boolean {
    return this.#text.length > PIECE_LENGTH;
  }

  /** Appends the source that was not copied yet, up to `to`, and then `behind`. */
  cut(to: number, behind: string): void {
    this.#text += this.#source.slice(this.#from, to) + behind;
    this.#from = to;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  end(): string {
    this.cut(this.#source.length, '');
    return this.take();
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const COMMA = 0x2c;
const COLON = 0x3a;

function isClosing(code: number): boolean {
  return code === BRACE + 2 || code === BRACKET + 2;
}

/** Returns the position of the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
