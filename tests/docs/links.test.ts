import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the pages that people read. */
function pages(): string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(ROOT, folder, name));
  const readmes = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name, 'README.md')),
  );
  const own = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...own.map((name) => join(ROOT, name)), ...inFolder('docs'), ...readmes.filter((path) => existsSync(path))];
}

/** Returns the anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const withoutCode = text.replace(/^```[\s\S]*?^```$/gm, '');
  const counts = new Map<string, number>();
  const anchors = [...withoutCode.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set(anchors);
}

function brokenLinksOf(page: string): string[] {
  const text = readFileSync(page, 'utf8')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : resolve(dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && statSync(file).isFile() && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
    });
}

test.each(pages().map((page) => [relative(ROOT, page), page]))('links of %s lead somewhere', (_name, page) => {
  expect(brokenLinksOf(page)).toEqual([]);
});
