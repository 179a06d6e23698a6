/** Accepts what Go's `mail.ParseAddress` accepts: an address, alone or in angle brackets after a name. */
export function isEmail(text: string): boolean {
  const reader = new Reader(text);
  reader.skipBlanks();
  if (reader.isAtEnd()) return false;
  const start = reader.position;
  if (reader.readAddress() && reader.readEnd()) return true;
  reader.position = start;
  return reader.readNamedAddress() && reader.readEnd();
}

/** Reads RFC 5322 words. A method that returns false may have moved the position; the caller restores it. */
class Reader {
  readonly #text: string;
  position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.position >= this.#text.length;
  }

  readEnd(): boolean {
    return this.skipBlanks() && this.isAtEnd();
  }

  readAddress(): boolean {
    const hasLocalPart = this.#peek() === '"' ? this.#readQuoted() : this.#readDotAtom();
    if (!hasLocalPart || !this.skipBlanks() || !this.#take('@') || !this.skipBlanks()) return false;
    return this.#peek() === '[' ? this.#readDomainLiteral() : this.#readDotAtom();
  }

  readNamedAddress(): boolean {
    while (this.#peek() !== '<') {
      const isWord = this.#peek() === '"' ? this.#readQuoted() : this.#readAtomText(true) > 0;
      if (!isWord || !this.skipBlanks()) return false;
    }
    this.position++;
    return this.skipBlanks() && this.readAddress() && this.skipBlanks() && this.#take('>');
  }

  /** Skips spaces and comments; false when a comment does not end. */
  skipBlanks(): boolean {
    for (let depth = 0; ; this.position++) {
      const character = this.#peek();
      if (character === '(') depth++;
      else if (depth > 0 && character === ')') depth--;
      else if (depth > 0 && character === '\\') this.position++;
      else if (character === undefined) return depth === 0;
      else if (depth === 0 && character !== ' ' && character !== '\t') return true;
    }
  }

  #readDotAtom(): boolean {
    const start = this.position;
    if (this.#readAtomText(true) === 0) return false;
    const atom = this.#text.slice(start, this.position);
    return !atom.startsWith('.') && !atom.endsWith('.') && !atom.includes('..');
  }

  #readAtomText(allowsDots: boolean): number {
    const start = this.position;
    while (!this.isAtEnd() && isAtomCharacter(this.#peek()!, allowsDots)) this.position++;
    return this.position - start;
  }

  #readQuoted(): boolean {
    for (this.position++; !this.isAtEnd(); this.position++) {
      const character = this.#peek()!;
      if (character === '"') {
        this.position++;
        return true;
      }
      if (character === '\\') this.position++;
      else if (character < ' ' && character !== '\t') return false;
    }
    return false;
  }

  #readDomainLiteral(): boolean {
    const end = this.#text.indexOf(']', this.position);
    if (end < 0) return false;
    const literal = this.#text.slice(this.position + 1, end);
    this.position = end + 1;
    return /^[!-Z^-~ \t]*$/.test(literal);
  }

  #peek(): string | undefined {
    return this.#text[this.position];
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.position++;
    return true;
  }
}

function isAtomCharacter(character: string, allowsDots: boolean): boolean {
  if (character === '.') return allowsDots;
  return character > '\u007f' || /[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]/.test(character);
}
