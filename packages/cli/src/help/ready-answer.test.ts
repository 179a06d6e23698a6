import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import { helpTexts } from './help-texts.ts';
import { readyAnswer } from './ready-answer.ts';

const texts = helpTexts(createProgram());
const paths = Object.keys(texts.commands).map((path) => path.split(' ').filter((word) => word !== ''));
const asked = paths.flatMap((path) => [
  [...path, '--help'],
  [...path, '-h'],
  ['help', ...path],
]);
const groups = paths.filter((path) => texts.commands[path.join(' ')]!.hasCommands);

describe('what is answered at once is what the program would say', () => {
  test.each([...asked, ...groups, ['--version'], ['-V']].map((args) => [args.join(' '), args]))(
    'pintle %s',
    async (_, args) => {
      expect(readyAnswer(args as string[], texts)).toEqual(await saidByProgram(args as string[]));
    },
  );
});

test.each([
  'up',
  'init fruits --help',
  'create api --kind Fruit --help',
  'apiserver --help',
  'help apiserver',
  'help help',
  'nope --help',
  'help nope',
  'observe -- --help',
  '__complete -- --help',
  '__proto__ --help',
])('the program is asked about pintle %s', (line) => {
  expect(readyAnswer(line.split(' '), texts)).toBeUndefined();
});

test('help goes as far as the words do', () => {
  expect(readyAnswer(['help', 'create', 'api'], texts)?.text).toContain('Usage: pintle create api');
});

async function saidByProgram(args: readonly string[]): Promise<{ text: string; isError: boolean }> {
  const said = { text: '', isError: false };
  const program = createProgram();
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => (said.text += text),
      writeErr: (text) => (said.text += text),
    });
  }
  const left = program.parseAsync(args, { from: 'user' });
  said.isError = await left.then(
    () => false,
    ({ exitCode }: { exitCode: number }) => exitCode !== 0,
  );
  return said;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
