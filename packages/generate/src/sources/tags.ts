import { SourceError, type SourceLocation } from '../errors.ts';

/** A tag of a comment: `@name value`. */
export interface Tag {
  readonly name: string;
  readonly value: string;
  readonly location: SourceLocation;
}

export interface Doc {
  /** Text before the first tag. */
  readonly description?: string;
  readonly tags: readonly Tag[];
}

export interface Comment {
  readonly type: string;
  readonly value: string;
  readonly loc?: { readonly start: { readonly line: number } } | null | undefined;
}

const TAG = /^@([A-Za-z][\w.]*)(?:\s+|$)/;

/** Reads the last JSDoc comment of a declaration. Code between backquotes or braces is plain text. */
export function docOf(file: string, comments: readonly Comment[] | null | undefined): Doc {
  const comment = comments?.findLast(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'));
  if (comment === undefined) return { tags: [] };
  const start = comment.loc?.start.line ?? 1;
  const words: string[] = [];
  const tags: { name: string; lines: string[]; location: SourceLocation }[] = [];
  for (const [index, raw] of comment.value.slice(1).split('\n').entries()) {
    const line = raw.replace(/^\s*\*? ?/, '').trimEnd();
    const tag = TAG.exec(line);
    if (tag !== null)
      tags.push({ name: tag[1]!, lines: [line.slice(tag[0].length)], location: { file, line: start + index } });
    else (tags.at(-1)?.lines ?? words).push(line);
  }
  const description = words.join('\n').trim();
  const found = tags.map(({ name, lines, location }) => ({ name, value: lines.join('\n').trim(), location }));
  return { ...(description !== '' && { description }), tags: found };
}

/** Reads pairs such as `name=Weight type=integer description="in grams"`. Words without `=` are in `rest`. */
export function pairsOf({ value, location, name }: Tag): { pairs: Map<string, string>; rest: string[] } {
  const pairs = new Map<string, string>();
  const rest: string[] = [];
  for (const [, key, quotedText, plain, word] of value.matchAll(/([\w-]+)=(?:("(?:[^"\\]|\\.)*")|(\S*))|(\S+)/g)) {
    if (key === undefined) rest.push(word!);
    else pairs.set(key, quotedText === undefined ? plain! : (jsonOf(quotedText, name, location) as string));
  }
  return { pairs, rest };
}

export function jsonOf(text: string, tag: string, location: SourceLocation): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceError(location, `@${tag} takes JSON, not ${text === '' ? 'nothing' : text}`);
  }
}

/** Tags of other tools, which are ignored. */
export const FOREIGN_TAGS: ReadonlySet<string> = new Set(
  [
    'alpha author beta deprecated example experimental file fileoverview internal license link packageDocumentation',
    'private privateRemarks public readonly remarks see since todo template typeParam',
  ]
    .join(' ')
    .split(' '),
);
