/** `in` and `notin` are words: only their position makes them operators. */
export interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

/**
 * Splits a label selector into words and symbols, separated by white space. Drops the rest of a word after a NUL at its
 * start.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    while (isWhitespace(text[position])) position++;
    const first = text[position];
    if (first === undefined || first === '\0') return [...tokens, end];
    const token = isSymbol(first) ? symbolAt(text, position) : wordAt(text, position);
    tokens.push(token);
    position += token.text.length;
    if (text[position] === '\0') position++;
  }
}

const end: Token = { kind: 'end', text: '' };

function symbolAt(text: string, position: number): Token {
  const pair = text.slice(position, position + 2);
  return { kind: 'symbol', text: pair === '==' || pair === '!=' ? pair : text[position]! };
}

function wordAt(text: string, start: number): Token {
  let position = start;
  while (position < text.length && isWordPart(text[position]!)) position++;
  return { kind: 'word', text: text.slice(start, position) };
}

function isWordPart(character: string): boolean {
  return !isSymbol(character) && !isWhitespace(character) && character !== '\0';
}

function isWhitespace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}

function isSymbol(character: string): boolean {
  return '=!(),><'.includes(character);
}
