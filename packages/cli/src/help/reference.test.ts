import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { FLAGS } from '../apiserver/flags.ts';
import { createProgram } from '../program.ts';
import { describeOption } from './describe-option.ts';

const FOLDER = join(import.meta.dirname, '../../../../docs/reference');
const HIDDEN: ReadonlySet<string> = new Set(['__complete', 'help']);
const GENERATED =
  'Generated from the definitions of the command: `npx vitest run packages/cli/src/help/reference.test.ts -u` writes this page.';

test('docs/reference/commands.md has every command and flag', async () => {
  const sections = commandsOf(createProgram(), []).map(sectionOf);
  const flags = Object.entries(FLAGS).map(([name, [value, text]]) => `| \`--${name} ${value}\` | ${cell(text)} |`);
  const apiserver = ['## pintle apiserver: flags', '', '| flag | |', '|---|---|', ...flags].join('\n');
  const page = ['# Commands and flags', GENERATED, ...sections, apiserver].join('\n\n');
  await expect(`${page}\n`).toMatchFileSnapshot(join(FOLDER, 'commands.md'));
});

interface Found {
  readonly command: Command;
  readonly path: readonly string[];
}

function commandsOf(command: Command, path: readonly string[]): Found[] {
  return command.commands
    .filter((each) => !HIDDEN.has(each.name()))
    .flatMap((each) => {
      const own = [...path, each.name()];
      return [{ command: each, path: own }, ...commandsOf(each, own)];
    });
}

function sectionOf({ command, path }: Found): string {
  const args = command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`));
  const rows = [
    ...command.registeredArguments.map((each) => `| \`${each.name()}\` | ${cell(describeOption(each))} |`),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((each) => `| \`${each.flags.replaceAll('|', '\\|')}\` | ${cell(describeOption(each))} |`),
  ];
  return [
    `## pintle ${[...path, ...args].join(' ')}`.replaceAll('<', '\\<'),
    '',
    `${cell(command.description())}${command.description().endsWith('.') ? '' : '.'}`,
    ...(rows.length === 0 ? [] : ['', '| flag | |', '|---|---|', ...rows]),
  ].join('\n');
}

/** Escapes what would end a cell, or begin an element. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ').replaceAll('*', '\\*');
}
