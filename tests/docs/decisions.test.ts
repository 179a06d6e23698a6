import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'decisions');
const STATUS = /^Status: (Accepted|Superseded by \d+), (\d{4}-\d{2}-\d{2})\.(?: (.+))?$/m;

interface Decision {
  readonly file: string;
  readonly number: number;
  readonly title: string;
  /** `undefined` where the status is missing, or has another form. */
  readonly status: RegExpExecArray | undefined;
}

const decisions = readdirSync(FOLDER)
  .filter((file) => /^\d{4}-/.test(file))
  .sort()
  .map((file): Decision => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const title = /^# \d+\. (.+)$/m.exec(text)?.[1] ?? '';
    return { file, number: Number(file.slice(0, 4)), title, status: STATUS.exec(text) ?? undefined };
  });

describe.each(decisions)('decision $file', ({ number, title, status }) => {
  test('has its number and a title', () => {
    expect(title).not.toBe('');
    expect(decisions.filter((other) => other.number === number)).toHaveLength(1);
  });

  test('has a status and a date: `Status: Accepted, 2026-11-18.`', () => expect(status).toBeDefined());

  test('names only decisions that there are', () => {
    for (const [, named] of (status?.[0] ?? '').matchAll(/\b(?:by|of|and|then|supersedes) (\d+)\b/gi)) {
      expect(decisions.map((decision) => decision.number)).toContain(Number(named));
    }
  });
});

test('a decision that supersedes another is named there', () => {
  for (const { number, status } of decisions) {
    const [, superseded = ''] = /Supersedes (?:parts? of )?([\d, and]+)/.exec(status?.[3] ?? '') ?? [];
    for (const [digits] of superseded.matchAll(/\d+/g)) {
      const other = decisions.find((decision) => decision.number === Number(digits));
      expect(other?.status?.[0], `${digits} must say that it is superseded by ${number}`).toMatch(
        new RegExp(`Superseded .*\\b${number}\\b`),
      );
    }
  }
});

/** Written anew with `npx vitest run tests/docs/decisions.test.ts -u`. */
test('the index lists them all', async () => {
  const rows = decisions.map(({ file, number, title, status }) => {
    const [, state = '', date = '', more = ''] = status ?? [];
    return `| ${number} | [${title}](${file}) | ${date} | ${[state, more].filter((text) => text !== '').join('. ')} |`;
  });
  const index = `# Decisions

One page each: context, decision, consequences. A decision is superseded rather than edited.

| | decision | date | status |
|---|---|---|---|
${rows.join('\n')}
`;
  await expect(index).toMatchFileSnapshot(join(FOLDER, 'README.md'));
});
