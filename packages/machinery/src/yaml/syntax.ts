import type { YAMLError as YamlPackageError } from 'yaml';
import type { YamlFailure } from './yaml-error.ts';

type SyntaxFailure = Extract<YamlFailure, { code: 'Syntax' }>;

/**
 * Describes a syntax error in the words of Kubernetes' YAML library, as far as the error of our parser allows. That
 * library has two layers which count lines differently: errors of its scanner have the line, errors of its parser the
 * line before; line zero is omitted.
 */
export function explainSyntax(error: YamlPackageError, text: string): SyntaxFailure {
  const offset = error.pos[0];
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return scanner(text, offset, beginsValue(text, offset) ? cannotStart : tabIndents);
    case 'BAD_SCALAR_START':
      return scanner(text, offset, cannotStart);
    case 'BAD_DQ_ESCAPE':
      return scanner(text, offset, 'found unknown escape character');
    case 'BAD_ALIAS':
      return scanner(text, offset, 'did not find expected alphabetic or numeric character');
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return explainKey(text, offset);
    case 'MISSING_CHAR':
      return explainMissing(error.message, text, offset);
    case 'BLOCK_IN_FLOW':
      return parser(text, offset, noEnd(text.lastIndexOf('[', offset) > text.lastIndexOf('{', offset)));
    case 'BAD_INDENT':
      if (error.message.includes('Flow')) return explainFlow(error.message, text, offset);
      return parser(text, offset, error.message.includes('sequence') ? noDash : noKey);
    case 'UNEXPECTED_TOKEN':
      return explainToken(error.message, text, offset);
    case 'MULTIPLE_ANCHORS':
    case 'MULTIPLE_TAGS':
    case 'ALIAS_PROPS':
      return parser(text, offset, noKey);
    default:
      return scanner(text, offset, error.message);
  }
}

const cannotStart = 'found character that cannot start any token';
const tabIndents = 'found a tab character that violates indentation';
const noKey = 'did not find expected key';
const noDash = "did not find expected '-' indicator";
const noContent = 'did not find expected node content';

/** True where a value must begin: the text before is empty, or ends with the indicator of a key or an item. */
function beginsValue(text: string, offset: number): boolean {
  const before = text.slice(0, text.lastIndexOf('\n', offset - 1) + 1).trimEnd();
  return before === '' || before.endsWith(':') || before.endsWith('-');
}

function explainKey(text: string, offset: number): SyntaxFailure {
  if (text[offset] === '-') return parser(text, offset, noKey);
  if (text[offset] === '?') return scanner(text, offset, 'mapping keys are not allowed in this context');
  const colon = text.slice(offset).search(/:\s/);
  return scanner(text, offset + Math.max(colon, 0), 'mapping values are not allowed in this context');
}

function explainMissing(message: string, text: string, offset: number): SyntaxFailure {
  if (message.includes('quote')) return scanner(text, text.length, 'found unexpected end of stream');
  if (message.includes('directives-end')) return parser(text, offset, 'did not find expected <document start>');
  if (message.includes('without -')) return parser(text, offset, noDash);
  if (message.includes('between flow')) return parser(text, offset, noEnd(message.includes('sequence')));
  if (message.includes('Flow')) return explainFlow(message, text, offset);
  return scanner(text, startAfterLine(text, offset), "could not find expected ':'");
}

/** Describes a flow collection that does not end: a value is missing after `[` or a comma, else the comma or the end is. */
function explainFlow(message: string, text: string, offset: number): SyntaxFailure {
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (before === '[' || before === '{' || before === ',') return parser(text, offset, noContent);
  return parser(text, offset, noEnd(message.includes('sequence')));
}

function noEnd(isSequence: boolean): string {
  return `did not find expected ',' or '${isSequence ? ']' : '}'}'`;
}

/** Returns the offset of the next content on a later line. */
function startAfterLine(text: string, offset: number): number {
  const lineEnd = text.indexOf('\n', offset);
  if (lineEnd < 0) return text.length;
  const distance = text.slice(lineEnd).search(/\S/);
  return distance < 0 ? text.length : lineEnd + distance;
}

function explainToken(message: string, text: string, offset: number): SyntaxFailure {
  if (message.includes('block-seq-ind')) {
    return scanner(text, offset, 'block sequence entries are not allowed in this context');
  }
  if (message.includes('Block scalar header')) {
    return scanner(text, offset, 'did not find expected comment or line break');
  }
  if (message.includes('in flow') || message.includes('flow-')) return parser(text, offset, noContent);
  const isAfterList = /^-\s/m.test(text.slice(0, offset)) && text[offset - 1] === '\n';
  return parser(text, offset, isAfterList ? noDash : noKey);
}

function scanner(text: string, offset: number, problem: string): SyntaxFailure {
  const line = lineOf(text, offset);
  return line === 0 ? { code: 'Syntax', problem } : { code: 'Syntax', line: line + 1, problem };
}

function parser(text: string, offset: number, problem: string): SyntaxFailure {
  const isAtEnd = text.slice(offset).trim() === '';
  const line = isAtEnd ? lineOf(text.endsWith('\n') ? text : `${text}\n`, text.length + 1) : lineOf(text, offset);
  return line === 0 ? { code: 'Syntax', problem } : { code: 'Syntax', line, problem };
}

/** Returns the line of an offset, counted from zero. */
function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
