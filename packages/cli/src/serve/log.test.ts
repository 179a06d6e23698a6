import { expect, test } from 'vitest';
import { createLog } from './log.ts';

async function linesOf(message: string, fields: object): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
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

test('Credentials do not get into the log', async () => {
  const [line] = await linesOf('Refused', { token: 'abc', headers: { authorization: 'Bearer abc' } });
  expect(line).not.toContain('abc');
});
