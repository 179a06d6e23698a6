import { describe, expect, test } from 'vitest';
import { helpTexts } from '../help/help-texts.ts';
import { createExecutableProgram } from './program.ts';

describe('the executable', () => {
  test('says in its help what it leaves out', () => {
    const { text } = helpTexts(createExecutableProgram()).commands['']!;
    expect(text).toMatch(/In the npm packages:\n {2}console[\s\S]*\n {2}init[\s\S]*\n {2}deploy[\s\S]*\nMore:/);
    expect(text.slice(0, text.indexOf('In the npm packages:'))).toMatch(/ {2}up [\s\S]* {2}envtest-assets <dir> /);
    expect(text).toContain('(--memory)');
  });

  test.each([
    ['init', 'Cannot run pintle init: the executable has only the control plane'],
    ['deploy', 'Cannot run pintle deploy: '],
    ['keys rotate', 'Cannot run pintle keys: '],
    ['up --port 0', 'Cannot keep objects in a folder: the executable takes --memory or --etcd-servers'],
  ])('refuses %s', async (line, message) => {
    const parsed = createExecutableProgram().parseAsync(line.split(' '), { from: 'user' });
    await expect(parsed).rejects.toThrow(message);
  });
});
