import { type Place, SourceError } from '../errors.ts';

/** One `@name value` of a comment. */
export interface Tag {
  readonly name: string;
  readonly value: string;
  readonly place: Place;
}

export interface Doc {
  /** The words before the first tag. */
  readonly description?: string;
  readonly tags: readonly Tag[];
}

export interface Comment {
  readonly type: string;
  readonly value: string;
  readonly loc?: { readonly start: { readonly line: number } } | null | undefined;
}

const TAG = /^@([A-Za-z][\w.]*)(?:\s+|$)/;

/** The last JSDoc comment before something. Code between backquotes or braces is plain text. */
export function docOf(file: string, comments: readonly Comment[] | null | undefined): Doc {
  const comment = comments?.findLast(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'));
  if (comment === undefined) return { tags: [] };
  const start = comment.loc?.start.line ?? 1;
  const words: string[] = [];
  const tags: { name: string; lines: string[]; place: Place }[] = [];
  for (const [index, raw] of comment.value.slice(1).split('\n').entries()) {
    const line = raw.replace(/^\s*\*? ?/, '').trimEnd();
    const tag = TAG.exec(line);
    if (tag !== null)
      tags.push({ name: tag[1]!, lines: [line.slice(tag[0].length)], place: { file, line: start + index } });
    else (tags.at(-1)?.lines ?? words).push(line);
  }
  const description = words.join('\n').trim();
  const found = tags.map(({ name, lines, place }) => ({ name, value: lines.join('\n').trim(), place }));
  return { ...(description !== '' && { description }), tags: found };
}

/** `name=Weight type=integer description="in grams"`. Words without `=` are in `rest`. */
export function pairsOf({ value, place, name }: Tag): { pairs: Map<string, string>; rest: string[] } {
  const pairs = new Map<string, string>();
  const rest: string[] = [];
  for (const [, key, quotedText, plain, word] of value.matchAll(/([\w-]+)=(?:("(?:[^"\\]|\\.)*")|(\S*))|(\S+)/g)) {
    if (key === undefined) rest.push(word!);
    else pairs.set(key, quotedText === undefined ? plain! : (jsonOf(quotedText, name, place) as string));
  }
  return { pairs, rest };
}

export function jsonOf(text: string, tag: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceError(place, `@${tag} takes JSON, not ${text === '' ? 'nothing' : text}`);
  }
}

/** Tags that say nothing to a definition. */
export const FOREIGN_TAGS: ReadonlySet<string> = new Set(
  [
    'alpha author beta deprecated example experimental file fileoverview internal license link packageDocumentation',
    'private privateRemarks public readonly remarks see since todo template typeParam',
  ]
    .join(' ')
    .split(' '),
);
