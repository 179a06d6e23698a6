import { expect, test } from 'vitest';
import { terminalText } from './terminal-text.ts';

test('no text steers a terminal', () => {
  expect(terminalText('\u001b]0;title\u0007\u001b[2J\r\u009b1m')).toBe(
    '\\u001b]0;title\\u0007\\u001b[2J\\u000d\\u009b1m',
  );
  expect(terminalText('abc\u202ecba')).toBe('abc\\u202ecba');
});

test('ordinary text stays', () => {
  expect(terminalText('pods "web" not found:\n\tänd 日本 🐙')).toBe('pods "web" not found:\n\tänd 日本 🐙');
});
