import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

/*
 * Keeps sources and pages in the words of CONTRIBUTING.md, "Words": Kubernetes' and the trade's names, the subject first, the
 * active voice. A pattern stands here when it was found often and had to be read twice.
 */

const root = join(import.meta.dirname, '..');

interface Pattern {
  readonly found: RegExp;
  readonly instead: string;
}

/** Anywhere in a source file or a page. */
const WORDS: readonly Pattern[] = [
  { found: /\b(?:nobody|somebody|whoever|whomever)\b/i, instead: 'name who: the client, another process, the caller' },
  { found: /\b(?:is none|of no use|says nothing|does not mean well|lost sight)\b/i, instead: 'say what was found' },
  { found: /\bwhat this takes\b/i, instead: 'Print help' },
];

/** At the beginning of a comment. */
const OPENINGS: readonly Pattern[] = [
  { found: /^(?:What|Who|Whom|Which|How)\b(?!.*\?)/, instead: 'begin with a verb (Returns, Holds, Limits) or a noun' },
];

/** Names in code, whole words. */
const NAMES: readonly Pattern[] = [
  { found: /\b(?:Sighting|SightedEvent|Slab)\b/, instead: 'LazyObject, LazyEvent, TextArena' },
  { found: /\b(?:Saying|isSaid|unlessSaid|SaidCondition)\b/, instead: 'AppliedConfiguration, isUpToDate' },
  { found: /\b(?:\w*Ground|Foundation)\b/, instead: 'Dependencies' },
  {
    found: /\b(?:EndpointCall|PatientSender|Companions|Facade|Passage|Deed)\b/,
    instead: 'RequestContext, RetryingSender, …',
  },
  { found: /\b(?:interface|type|class) Place\b/, instead: 'what it is a place of' },
  { found: /\b(?:interface|type|class) Tie\b/, instead: 'OwnerReferenceMode' },
  { found: /\b(?:junctors?|wordless|breathe|keptAs)\b/, instead: 'combinators, …' },
  { found: /\b(?:tell|tell[A-Z]\w*)\(/, instead: 'log, record, report, update: what it does' },
  { found: /\bsettle[A-Z]\w*\b/, instead: 'set, allocate, complete, resolve: what it does' },
  { found: /\b[Ss]trangers?\b/, instead: 'anonymous, unauthenticated client' },
];

const EXEMPT: readonly (readonly [path: string, found: RegExp, reason: string])[] = [
  ['packages/kinds/src/rules/common/pod/validation/dns.ts', /`dnsPolicy` is None/, "Kubernetes' message"],
  [
    'packages/kinds/src/rules/common/pod/validation/containers/volume-mounts.ts',
    /mountPropagation is None/,
    "Kubernetes' message",
  ],
  [
    'packages/generate/src/scaffold/templates/older-files.ts',
    /Whoever brings certificates/,
    'the text of an older template',
  ],
  ['packages/generate/src/scaffold/renamed-api.ts', /\['\w+', '\w+'\]/, 'former names that projects still have'],
];

/** Folders below packages/ that are still to be reworded. Shrinks; nothing is added. */
const TO_REWORD: readonly string[] = [];

const packages = readdirSync(join(root, 'packages'));

test.each(packages)('packages/%s has plain words', (name) => {
  const paths = sourcesOf(join(root, 'packages', name, 'src')).filter((path) => !isToReword(path));
  expect(paths.flatMap(problemsOfSource)).toEqual([]);
});

test('scripts and examples have plain words', () => {
  const paths = ['scripts', 'examples'].flatMap((folder) => sourcesOf(join(root, folder)));
  expect(paths.flatMap(problemsOfSource)).toEqual([]);
});

test('pages have plain words', () => {
  expect(pages().flatMap((path) => problemsIn(path, readFileSync(path, 'utf8'), WORDS))).toEqual([]);
});

test('the check finds what it is for', () => {
  const text = `/** What is kept. */\nfunction tell() {}\n// How long it takes.\nconst a = 1; // nobody\n/**\n * Which one.\n */`;
  expect(problemsInSource('a.ts', text).map((problem) => problem.split(' ')[0])).toEqual([
    'a.ts:4:',
    'a.ts:2:',
    'a.ts:1:',
    'a.ts:3:',
    'a.ts:6:',
  ]);
});

function isToReword(path: string): boolean {
  return TO_REWORD.some((folder) => path.startsWith(join(root, 'packages', folder, '/')));
}

function problemsOfSource(path: string): string[] {
  return problemsInSource(path, readFileSync(path, 'utf8'));
}

function problemsInSource(path: string, text: string): string[] {
  return [...problemsIn(path, text, WORDS), ...problemsIn(path, text, NAMES), ...openingsIn(path, text)];
}

function problemsIn(path: string, text: string, patterns: readonly Pattern[]): string[] {
  return text
    .split('\n')
    .flatMap((line, i) => patterns.flatMap((pattern) => problem({ path, line, number: i + 1, tried: line }, pattern)));
}

/** Looks at the first words of each comment: of `/** …`, of the line after it, and of the first of several `//` lines. */
function openingsIn(path: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, i) => {
    const opening = openingOf(line, lines[i - 1] ?? '');
    if (opening === undefined) return [];
    return OPENINGS.flatMap((pattern) => problem({ path, line, number: i + 1, tried: opening }, pattern));
  });
}

function openingOf(line: string, before: string): string | undefined {
  const text = line.trimStart();
  if (text.startsWith('/**')) return text.slice(3).trimStart();
  if (text.startsWith('*') && before.trim() === '/**') return text.slice(1).trimStart();
  if (text.startsWith('//') && !before.trimStart().startsWith('//')) return text.slice(2).trimStart();
  return undefined;
}

interface Tried {
  readonly path: string;
  readonly line: string;
  readonly number: number;
  readonly tried: string;
}

function problem({ path, line, number, tried }: Tried, { found, instead }: Pattern): string[] {
  if (!found.test(tried)) return [];
  const file = relative(root, path);
  if (EXEMPT.some(([exempt, words]) => file === exempt && words.test(line))) return [];
  return [`${file.startsWith('..') ? path : file}:${number}: ${line.trim()} (instead: ${instead})`];
}

function sourcesOf(folder: string): string[] {
  return filesOf(folder).filter(
    (path) =>
      /\.(?:ts|tsx|mjs|css)$/.test(path) &&
      !/\.(?:test|bench)\.tsx?$/.test(path) &&
      !/\/(?:generated|tests|dist)\//.test(path),
  );
}

function pages(): string[] {
  const own = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((name) => join(root, name));
  const docs = filesOf(join(root, 'docs')).filter((path) => path.endsWith('.md') && !path.includes('/decisions/'));
  return [...own, ...docs, ...packages.flatMap((name) => filesOf(join(root, 'packages', name), 1)).filter(isReadme)];
}

function isReadme(path: string): boolean {
  return path.endsWith('README.md');
}

function filesOf(folder: string, depth = 20): string[] {
  if (depth === 0) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesOf(path, depth - 1) : [path];
  });
}
