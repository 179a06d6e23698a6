import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser } from 'yaml';
import type { YamlLimits } from './limits.ts';
import { explainSyntax } from './syntax.ts';
import { YamlError } from './yaml-error.ts';

export type YamlDocument = Document.Parsed<ParsedNode>;

/**
 * Reads the documents of a stream as trees, one after the other. Every scalar is text; its meaning is resolved later.
 * An empty stream has one empty document. Throws at the first document that is malformed, or as soon as a limit is
 * exceeded.
 */
export function* readDocuments(text: string, limits: YamlLimits): Generator<YamlDocument, void, undefined> {
  const composer = new Composer({
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    version: '1.1',
  });
  for (const token of readTokens(text, limits)) {
    yield* checked(composer.next(token), text, limits);
    if (token.type === 'error') break;
  }
  yield* checked(composer.end(true, text.length), text, limits);
}

/** Reads all tokens up to the end. The caller stops at the first token that is an error. */
function* readTokens(text: string, limits: YamlLimits): Generator<CST.Token, void, undefined> {
  const parser = new Parser();
  let cost = 0;
  for (const lexeme of new Lexer().lex(text)) {
    cost += costOf(lexeme);
    if (cost > limits.maxTokens) throw new YamlError({ code: 'TooManyTokens', limit: limits.maxTokens });
    if (parser.stack.length > limits.maxDepth + 1) throw new YamlError({ code: 'TooDeep', limit: limits.maxDepth });
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Quoted characters that cost as much as a token: quoted text is read character by character. */
const QUOTED_PER_TOKEN = 32;

/** Returns the cost of a lexeme for the composer, in tokens: flow style costs twice, quoted scalars by length and escapes. */
function costOf(lexeme: string): number {
  switch (lexeme[0]) {
    case '[':
    case '{':
    case '?':
    case ',':
      return 2;
    case '"':
      return 1 + lexeme.length / QUOTED_PER_TOKEN + count(lexeme, '\\');
    case "'":
      return 1 + lexeme.length / QUOTED_PER_TOKEN + count(lexeme, "''");
    default:
      return 1;
  }
}

function count(text: string, mark: string): number {
  let found = 0;
  for (let at = text.indexOf(mark, 1); at >= 0; at = text.indexOf(mark, at + 2)) found++;
  return found;
}

function* checked(
  documents: Generator<YamlDocument>,
  text: string,
  limits: YamlLimits,
): Generator<YamlDocument, void, undefined> {
  for (;;) {
    const next = withoutStackTraces(() => documents.next());
    if (next.done === true) return;
    const error = next.value.errors[0];
    if (error?.code === 'RESOURCE_EXHAUSTION') throw new YamlError({ code: 'TooDeep', limit: limits.maxDepth });
    if (error !== undefined) throw new YamlError(explainSyntax(error, text), { cause: error });
    yield next.value;
  }
}

/**
 * The composer collects an error object for every fault. A hostile document has tens of thousands of them, and making
 * their unused stack traces would take most of the time.
 */
function withoutStackTraces<T>(work: () => T): T {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return work();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}
