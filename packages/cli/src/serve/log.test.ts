import { expect, test } from 'vitest';
import { createLog } from './log.ts';

async function linesOf(message: string, fields: object, { isText = false } = {}): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line), isText });
  log.warn(message, { ...fields });
  await log.flush();
  return lines;
}

test('What clients write cannot steer a terminal nor pass for a line of its own', async () => {
  const hostile = `a\nb\r\u001b[2J\u0000\u007f\u009b31m\u2028\u202etxt.exe`;
  const [line, ...more] = await linesOf('Answered', { path: hostile });
  expect(more).toEqual([]);
  expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(line!)).toMatchObject({ level: 'warn', message: 'Answered', path: hostile });
});

test('A terminal gets text, which clients cannot steer either', async () => {
  const [line, ...more] = await linesOf('Cannot watch', { kind: 'Fruit\n\u001b[2J\u202e' }, { isText: true });
  expect(more).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of the level
  expect(line).toMatch(/^\d\d:\d\d:\d\d (?:\u001b\[33m)?WARN (?:\u001b\[0m)? Cannot watch kind=[\x20-\x7e]+\n$/);
});

test('Credentials do not get into the log', async () => {
  const [line] = await linesOf('Refused', { token: 'abc', headers: { authorization: 'Bearer abc' } });
  expect(line).not.toContain('abc');
});
