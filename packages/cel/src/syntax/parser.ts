import type { Expr, MapEntry, StructField } from './ast.ts';
import { qualifiedName } from './ast.ts';
import { ExprFactory, maxNesting, SyntaxLimitError, tooDeep } from './expr-factory.ts';
import type { Issue } from './issues.ts';
import { readLiteral } from './literals.ts';
import { findMacro, isIssue } from './macros.ts';
import { type Token, tokenize } from './tokens.ts';

export type Parsed = { readonly expr: Expr; readonly nodeCount: number } | { readonly issues: readonly Issue[] };

/** Limit of the source length, which bounds the parse time. */
const maxSourceLength = 100_000;

/** Tokens that may start an operand, alone and where other signs are allowed too, in the order of the grammar. */
const operands = startsWith();
const listStarts = startsWith(']', ',', '?');
const mapStarts = startsWith('}', ',', '?');
const argumentStarts = startsWith(')');
const indexStarts = startsWith('?');

function startsWith(...also: readonly string[]): string {
  const signs = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', 'true', 'false', 'null'];
  const plain = new Set(['[', '{', '(', '.', '-', '!', 'true', 'false', 'null', ...also]);
  const quoted = signs.filter((sign) => plain.has(sign)).map((sign) => `'${sign}'`);
  return `{${[...quoted, 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER'].join(', ')}}`;
}

const reserved: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package'],
  ...['namespace', 'return', 'var', 'void', 'while'],
]);

/** Signs that may follow a value. */
const followers: ReadonlySet<string> = new Set([
  ...['==', '!=', '<', '<=', '>', '>=', '&&', '||', '+', '-', '*', '/', '%', '?', '.', '['],
]);

const relations: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

export interface ParseOptions {
  /** False leaves `has`, `all` and the like as calls. Default: true. */
  readonly hasMacros?: boolean;
}

/** Parses an expression, or returns its issues. Never throws, whatever the source. */
export function parse(source: string, { hasMacros = true }: ParseOptions = {}): Parsed {
  const length = source.length > maxSourceLength ? [...source].length : source.length;
  if (length > maxSourceLength) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxSourceLength}`;
    return { issues: [{ at: 0, message }] };
  }
  const issues: Issue[] = [];
  const parser = new Parser(source, tokenize(source, issues), issues, hasMacros);
  try {
    const expr = parser.parseAll();
    return issues.length > 0 ? { issues } : { expr, nodeCount: parser.nodeCount };
  } catch (error) {
    if (error instanceof SyntaxLimitError) return { issues: [error.issue] };
    if (error instanceof ParseAborted) return { issues };
    throw error;
  }
}

/** Thrown within a parse when it cannot continue. */
class ParseAborted extends Error {}

/**
 * One method per level of the grammar, the weakest operators first. Left-associative chains are loops; each link counts
 * as nesting, because the tree becomes that deep.
 */
class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  readonly #factory = new ExprFactory();
  readonly #hasMacros: boolean;
  #position = 0;
  #depth = 0;
  /** Number of open brackets of any kind. */
  #open = 0;

  constructor(source: string, tokens: readonly Token[], issues: Issue[], hasMacros: boolean) {
    this.#source = source;
    this.#tokens = tokens;
    this.#issues = issues;
    this.#hasMacros = hasMacros;
  }

  get nodeCount(): number {
    return this.#factory.count;
  }

  parseAll(): Expr {
    const expr = this.#expression();
    const { kind, text, at } = this.#token;
    if (kind === 'end') return expr;
    const verb = this.#tokens[this.#position + 1]?.kind === 'end' ? 'extraneous' : 'mismatched';
    this.#issues.push({ at, message: `Syntax error: ${verb} input '${text}' expecting <EOF>` });
    throw new ParseAborted();
  }

  get #token(): Token {
    return this.#tokens[this.#position]!;
  }

  #is(sign: string): boolean {
    const { kind, text } = this.#token;
    return kind === 'sign' && text === sign;
  }

  /** Consumes the token if it is that sign. */
  #take(sign: string): Token | undefined {
    return this.#is(sign) ? this.#tokens[this.#position++] : undefined;
  }

  #expect(sign: string): Token {
    return this.#take(sign) ?? this.#recover(sign);
  }

  /** Skips one unexpected token, or assumes one missing closing sign; gives up otherwise. */
  #recover(sign: string): Token {
    const next = this.#tokens[this.#position + 1];
    if (next?.kind === 'sign' && next.text === sign) {
      this.#skip(`'${sign}'`);
      return this.#tokens[this.#position++]!;
    }
    const { at, text } = this.#token;
    if (sign === ':' || !this.#mayFollowOperand()) return this.#fail(`'${sign}'`);
    this.#issues.push({ at, message: `Syntax error: missing '${sign}' at '${text}'` });
    return { kind: 'sign', at, text: sign };
  }

  /** True when the current token could follow a complete value. */
  #mayFollowOperand(): boolean {
    const { kind, text } = this.#token;
    if (kind === 'end') return this.#open <= 1;
    return kind === 'ident' ? text === 'in' : kind === 'sign' && followers.has(text);
  }

  #skip(expected: string): void {
    const { text, at } = this.#tokens[this.#position++]!;
    this.#issues.push({ at, message: `Syntax error: extraneous input '${text}' expecting ${expected}` });
  }

  #fail(expected: string): never {
    this.#mismatch(expected);
    throw new ParseAborted();
  }

  #mismatch(expected: string): void {
    const { text, at } = this.#token;
    this.#issues.push({ at, message: `Syntax error: mismatched input '${text}' expecting ${expected}` });
  }

  /** Reports a sign that cannot continue, with the source from there to the offending token. */
  #noAlternative(seen: string): never {
    const { at, kind, text } = this.#token;
    const from = this.#tokens[this.#position - 1]?.at ?? at;
    const shown = kind === 'end' ? seen : this.#source.slice(from, at + text.length);
    this.#issues.push({ at, message: `Syntax error: no viable alternative at input '${shown}'` });
    throw new ParseAborted();
  }

  #isOperand({ kind, text }: Token): boolean {
    if (kind === 'sign') return '[{(.-!'.includes(text);
    return kind !== 'end' && kind !== 'quoted' && !(kind === 'ident' && text === 'in');
  }

  /** Requires an operand. Skips one other token when an operand follows it. */
  #expectOperand(expected: string, others: string): void {
    const isFine = (token: Token) => this.#isOperand(token) || (token.kind === 'sign' && others.includes(token.text));
    if (isFine(this.#token)) return;
    const next = this.#tokens[this.#position + 1];
    if (next !== undefined && isFine(next)) this.#skip(expected);
    else this.#failOperand(expected, next);
  }

  /** An operator alone lacks both operands. */
  #failOperand(expected: string, next: Token | undefined): never {
    if (next?.kind === 'end' && this.#mayFollowOperand()) {
      this.#mismatch(expected);
      this.#position++;
      this.#fail(operands);
    }
    this.#fail(expected);
  }

  #expression(): Expr {
    if (++this.#depth > maxNesting) throw new SyntaxLimitError(tooDeep(this.#token.at));
    const condition = this.#chain('||', () => this.#chain('&&', () => this.#relation()));
    const question = this.#take('?');
    if (question === undefined) {
      this.#depth--;
      return condition;
    }
    const positive = this.#chain('||', () => this.#chain('&&', () => this.#relation()));
    this.#expect(':');
    const negative = this.#expression();
    this.#depth--;
    return this.#factory.call(question.at, '_?_:_', [condition, positive, negative]);
  }

  #chain(sign: '&&' | '||', operand: () => Expr): Expr {
    const first = operand();
    const operator = this.#take(sign);
    if (operator === undefined) return first;
    const operands = [first];
    do operands.push(operand());
    while (this.#take(sign) !== undefined);
    return this.#factory.call(operator.at, `_${sign}_`, operands);
  }

  #relation(): Expr {
    return this.#binary(
      () => (this.#token.kind === 'sign' ? relations.has(this.#token.text) : this.#isWord('in')),
      () =>
        this.#binary(
          () => this.#is('+') || this.#is('-'),
          () => this.#product(),
        ),
    );
  }

  #product(): Expr {
    return this.#binary(
      () => this.#is('*') || this.#is('/') || this.#is('%'),
      () => this.#unary(),
    );
  }

  #binary(isOperator: () => boolean, operand: () => Expr): Expr {
    let left = operand();
    for (let links = 1; isOperator(); links++) {
      const { at, text } = this.#tokens[this.#position++]!;
      if (links > maxNesting) throw new SyntaxLimitError(tooDeep(at));
      left = this.#factory.call(at, text === 'in' ? '@in' : `_${text}_`, [left, operand()]);
    }
    return left;
  }

  #isWord(word: string): boolean {
    return this.#token.kind === 'ident' && this.#token.text === word;
  }

  /** Pairs of signs cancel out; a minus before a number is part of the number. */
  #unary(): Expr {
    const sign = this.#is('!') ? '!' : this.#is('-') ? '-' : undefined;
    if (sign === undefined) return this.#member(this.#primary());
    const { at } = this.#token;
    const next = this.#tokens[this.#position + 1]!.kind;
    if (sign === '-' && (next === 'int' || next === 'double')) {
      this.#position++;
      return this.#member(this.#literal(at, true));
    }
    let count = 0;
    while (this.#take(sign) !== undefined) count++;
    if (this.#token.kind === 'end') this.#failSign(sign);
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : this.#factory.call(at, `${sign}_`, [operand]);
  }

  #failSign(sign: string): never {
    const { at } = this.#token;
    if (sign === '!') {
      this.#issues.push({ at, message: `Syntax error: extraneous input '<EOF>' expecting ${operands}` });
      throw new ParseAborted();
    }
    this.#issues.push({ at, message: `Syntax error: no viable alternative at input '${sign}'` });
    return this.#fail(operands);
  }

  /** Parses fields, calls and indexes after a value. */
  #member(start: Expr): Expr {
    let expr = start;
    for (let links = 1; ; links++) {
      const dot = this.#take('.');
      if (links > maxNesting) throw new SyntaxLimitError(tooDeep(this.#token.at));
      if (dot !== undefined) expr = this.#afterDot(expr, dot);
      else if (this.#is('[')) expr = this.#index(expr);
      else if (this.#is('{')) expr = this.#struct(expr);
      else return expr;
    }
  }

  #afterDot(operand: Expr, dot: Token): Expr {
    const isOptional = this.#take('?') !== undefined;
    const { at, text, kind } = this.#token;
    if (kind !== 'ident' && kind !== 'quoted') {
      if (isOptional) this.#failOptional();
      this.#noAlternative('.');
    }
    if (text === 'true' || text === 'false' || text === 'null') this.#fail('IDENTIFIER');
    if (text === 'in') {
      this.#issues.push({ at, message: `Syntax error: no viable alternative at input '.${text}'` });
      this.#position++;
      const next = this.#token;
      if (next.kind === 'sign' && !'[{(.-!'.includes(next.text)) {
        this.#issues.push({
          at: next.at,
          message: `Syntax error: extraneous input '${next.text}' expecting ${operands}`,
        });
      }
      if (next.kind === 'end') this.#mismatch(operands);
      throw new ParseAborted();
    }
    this.#position++;
    if (kind === 'quoted') this.#issues.push({ at, message: "unsupported syntax: '`'" });
    const name = kind === 'quoted' ? text.slice(1, -1) : text;
    if (isOptional) {
      const field = this.#factory.literal(at, { type: 'string', value: name });
      return this.#factory.call(dot.at, '_?._', [operand, field]);
    }
    const open = kind === 'ident' ? this.#take('(') : undefined;
    return open === undefined ? this.#factory.select(dot.at, operand, name) : this.#callOf(name, operand, open);
  }

  #failOptional(): never {
    const { at, kind } = this.#token;
    this.#mismatch('{IDENTIFIER, ESC_IDENTIFIER}');
    if (kind === 'end') this.#issues.push({ at, message: 'unsupported ident kind' });
    throw new ParseAborted();
  }

  #callOf(name: string, target: Expr | undefined, open: Token): Expr {
    const args = this.#arguments();
    const macro = this.#hasMacros ? findMacro(name, target !== undefined, args.length) : undefined;
    if (macro === undefined) return this.#factory.call(open.at, name, args, target);
    const expanded = macro({ factory: this.#factory, at: open.at, target, args });
    if (!isIssue(expanded)) return expanded;
    this.#issues.push(expanded);
    return this.#factory.call(open.at, name, args, target);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#take(')') !== undefined) return args;
    this.#open++;
    this.#expectOperand(argumentStarts, ')');
    if (this.#take(')') !== undefined) return args;
    do args.push(this.#expression());
    while (this.#take(',') !== undefined);
    this.#expect(')');
    this.#open--;
    return args;
  }

  #index(operand: Expr): Expr {
    const { at } = this.#expect('[');
    this.#open++;
    this.#expectOperand(indexStarts, '?');
    const name = this.#take('?') === undefined ? '_[_]' : '_[?_]';
    const index = this.#expression();
    this.#expect(']');
    this.#open--;
    return this.#factory.call(at, name, [operand, index]);
  }

  #struct(operand: Expr): Expr {
    const name = qualifiedName(operand);
    if (name === undefined) this.#fail('<EOF>');
    const { at } = this.#expect('{');
    const fields = this.#list('}', () => this.#structField());
    return this.#factory.struct(at, name!, fields);
  }

  #structField(): StructField {
    const optional = this.#take('?') !== undefined;
    const { kind, text } = this.#token;
    if (kind !== 'ident' && kind !== 'quoted') this.#fail("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
    this.#position++;
    const colon = this.#expect(':');
    return this.#factory.field(colon.at, kind === 'quoted' ? text.slice(1, -1) : text, this.#expression(), optional);
  }

  /** Parses items up to the closing sign, with an optional trailing comma. */
  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    this.#open++;
    while (!this.#is(close) && !(items.length === 0 && this.#is(','))) {
      items.push(item());
      if (this.#is(close)) break;
      this.#separate(close);
      if (this.#is(',')) break;
    }
    if (items.length === 0) this.#take(',');
    this.#expect(close);
    this.#open--;
    return items;
  }

  /** Parses the comma between items. Skips one unexpected token when the list continues after it. */
  #separate(close: string): void {
    if (this.#take(',') !== undefined) return;
    const expected = `{'${close}', ','}`;
    const next = this.#tokens[this.#position + 1];
    if (next?.kind !== 'sign' || (next.text !== ',' && next.text !== close)) this.#fail(expected);
    this.#skip(expected);
    this.#take(',');
  }

  #primary(): Expr {
    this.#expectOperand(operands, '');
    const { kind, text, at } = this.#token;
    if (kind === 'ident') return this.#identifier();
    if (kind === 'sign') {
      if (text === '(') return this.#parenthesized();
      if (text === '[') return this.#listLiteral();
      if (text === '{') return this.#mapLiteral();
      if (text === '.') return this.#rooted();
    } else if (kind !== 'end' && kind !== 'quoted') return this.#literal(at, false);
    return this.#fail(operands);
  }

  #parenthesized(): Expr {
    this.#expect('(');
    this.#open++;
    const expr = this.#expression();
    this.#expect(')');
    this.#open--;
    return expr;
  }

  /** A leading dot resolves a name from the root, which is the only scope. */
  #rooted(): Expr {
    this.#expect('.');
    return this.#token.kind === 'ident' ? this.#identifier({ isRooted: true }) : this.#noAlternative('.');
  }

  #identifier({ isRooted = false } = {}): Expr {
    const { text, at } = this.#tokens[this.#position++]!;
    if (text === 'true' || text === 'false') return this.#factory.literal(at, { type: 'bool', value: text === 'true' });
    if (text === 'null') return this.#factory.literal(at, { type: 'null' });
    if (text === 'in') {
      this.#position--;
      return this.#fail(operands);
    }
    if (reserved.has(text)) this.#issues.push({ at, message: `reserved identifier: ${text}` });
    const open = this.#take('(');
    return open === undefined ? this.#factory.ident(at, text, isRooted) : this.#callOf(text, undefined, open);
  }

  #literal(at: number, isNegative: boolean): Expr {
    const literal = readLiteral(this.#tokens[this.#position++]!, isNegative);
    if (!('problem' in literal)) return this.#factory.literal(at, literal);
    this.#issues.push({ at, message: literal.problem });
    return this.#factory.literal(at, { type: 'null' });
  }

  #listLiteral(): Expr {
    const { at } = this.#expect('[');
    const optional = new Set<number>();
    let position = 0;
    this.#expectOperand(listStarts, '],?');
    const items = this.#list(']', () => {
      if (this.#take('?') !== undefined) optional.add(position);
      position++;
      return this.#expression();
    });
    return this.#factory.list(at, items, optional);
  }

  #mapLiteral(): Expr {
    const { at } = this.#expect('{');
    this.#expectOperand(mapStarts, '},?');
    return this.#factory.map(
      at,
      this.#list('}', () => this.#mapEntry()),
    );
  }

  #mapEntry(): MapEntry {
    const optional = this.#take('?') !== undefined;
    const key = this.#expression();
    const colon = this.#expect(':');
    return this.#factory.entry(colon.at, key, this.#expression(), optional);
  }
}
