import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from './program.ts';

/** Every command that does something, by the words that lead to it. */
function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

/** `apiserver` stands in for a program whose help is its own. */
const shown = leaves(createProgram()).filter(([name]) => !name.startsWith('__') && name !== 'apiserver');

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe.each(shown)('pintle %s', (name, command) => {
  const help = helpOf(command);

  test('says what it is for', () => expect(command.description()).not.toBe(''));

  test('has an example, whose flags there are', () => {
    const examples = help.split(/\nExamples?:\n/)[1]?.split('\n') ?? [];
    expect(examples.join('\n')).toContain(`pintle ${name}`);
    const flags = examples.join(' ').match(/(?<= )--?[a-z][-a-z]*/g) ?? [];
    const known = command.options.flatMap(({ long, short }) => [long, short]);
    for (const flag of flags) expect([...known, '--help']).toContain(flag);
  });

  test('explains every flag', () => {
    for (const { flags, description } of command.options) expect(description, flags).not.toBe('');
  });
});

test('the help of all says what exit codes mean', () => {
  expect(helpOf(createProgram())).toMatch(/Exit codes:\n {2}0 {2}.*\n {2}1 {2}/);
});

test('the help of all shows every command under a heading, in one line each', () => {
  const [, commands = ''] = helpOf(createProgram()).split(/(?=\nControl plane:)/);
  expect(commands).not.toMatch(/\nCommands:/);
  const rows = commands.split('\nExamples:')[0]!.match(/^ .*/gm) ?? [];
  for (const row of rows) expect(row).toMatch(/^ {2}[a-z]/);
});

test.each([
  ['nope', "pintle: unknown command 'nope'; see pintle --help\n"],
  ['help create ape', "pintle: unknown command 'ape'; see pintle create --help\n"],
  ['up --prot 3', "pintle: unknown option '--prot' (Did you mean --port?); see pintle up --help\n"],
  ['create webhook', "pintle: required option '--kind <kind>' not specified; see pintle create webhook --help\n"],
])('a wrong line is answered in one: pintle %s', async (line, expected) => {
  const program = createProgram();
  let text = '';
  for (const command of everyCommand(program))
    command.exitOverride().configureOutput({ writeErr: (part) => (text += part) });
  await expect(program.parseAsync(line.split(' '), { from: 'user' })).rejects.toThrow();
  expect(text).toBe(expected);
});

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
