import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Something that a page shows its reader. */
export type Step =
  /** To be typed into a shell, with the lines that the command reads. */
  | { readonly kind: 'command'; readonly text: string }
  /** The whole text of a file, whose path the first line of the block says. */
  | { readonly kind: 'module'; readonly path: string; readonly text: string }
  /** To be read, in the language of its block. */
  | { readonly kind: 'example'; readonly language: string; readonly text: string };

/** Reads a page of the repository. Returns its steps in their order, by the title of the section. */
export function readSteps(page: string): ReadonlyMap<string, readonly Step[]> {
  const sections = new Map<string, Step[]>();
  let title = '';
  for (const [, heading, language = '', text = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(
    /^#{1,2} (.+)$|^ *```(\w+)\n([\s\S]*?)^ *```$/gm,
  )) {
    if (heading !== undefined) title = heading;
    else sections.set(title, [...(sections.get(title) ?? []), ...stepsOf(language, text)]);
  }
  return sections;
}

function stepsOf(language: string, text: string): Step[] {
  if (language === 'sh') return commandsOf(text).map((command) => ({ kind: 'command', text: command }));
  const path = /^\/\/ (src\/\S+\.ts)\n/.exec(text);
  if (language === 'ts' && path !== null) return [{ kind: 'module', path: path[1]!, text: text.slice(path[0].length) }];
  return [{ kind: 'example', language, text }];
}

/** One to a line; a command that reads what follows goes on until the word that ends it. */
function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let end: string | undefined;
  for (const line of text.trimEnd().split('\n')) {
    if (end !== undefined) commands.push(`${commands.pop()}\n${line}`);
    else commands.push(line);
    if (line === end) end = undefined;
    else end ??= /<<(\w+)$/.exec(line)?.[1];
  }
  return commands;
}
