import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseControllers } from '@pintle/controllers/names';
import { AUTHORIZATION_MODES } from '@pintle/kube-apiserver';
import { expect, test } from 'vitest';
import { parseFlags } from './apiserver/flags.ts';
import { createProgram } from './program.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/differences.md'), 'utf8');
/** The list: what differs, by area. */
const rows = new Map([...page.matchAll(/^\| (.+?) \| (.*) \|$/gm)].map(([, area = '', text = '']) => [area, text]));

function row(area: string): string {
  const text = rows.get(area);
  if (text === undefined) throw new Error(`docs/differences.md has no row ${area}`);
  return text;
}

test('modes of authorization are those that the server has', () => {
  const [has = '', lacks = ''] = row('Authorization').split('. No ');
  expect(has.split(', ').sort()).toEqual([...AUTHORIZATION_MODES].sort());
  expect(lacks).toBe('ABAC and no webhook.');
  for (const flag of ['authorization-webhook-config-file', 'authorization-policy-file'])
    expect(() => parseFlags([`--${flag}=/etc/file`]), flag).toThrow(`Cannot use --${flag}`);
});

test('authentication that is missing is refused', () => {
  expect(row('Authentication')).toContain('No webhook, no `--authentication-config`');
  for (const flag of ['authentication-config', 'authentication-token-webhook-config-file'])
    expect(() => parseFlags([`--${flag}=/etc/file`]), flag).toThrow(`Cannot use --${flag}`);
});

test('missing controllers are missing', () => {
  const names = row('Missing controllers').split(', ');
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(() => chooseControllers([name]), name).toThrow('Cannot run controller');
});

test('compaction has the interval that the page says', () => {
  expect(row('Compaction')).toContain('every five minutes');
  const source = readFileSync(join(import.meta.dirname, '../../apiserver/src/storage/history-keeper.ts'), 'utf8');
  expect(source).toContain('const INTERVAL_MS = 5 * 60_000;');
});

test('flags of pintle up that the page names are there', () => {
  const up = createProgram().commands.find((command) => command.name() === 'up')!;
  const known = up.options.map(({ long }) => long);
  for (const area of ['Nodes', 'HTTP', 'Anonymous requests', 'Encryption at rest'])
    for (const [flag] of row(area).matchAll(/--[a-z][-a-z\d]*/g)) expect(known, area).toContain(flag);
});
